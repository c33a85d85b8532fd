"""The engine service: the rules for anybody, in any language.

Owns nothing: whatever it is asked, it computes.
Calls: nobody.
Called by: anybody, with a token or without (maumau.live, or any gRPC client: docs/live.md).
"""
