"""The modules that run inside a sandbox; `maumau.sandbox.files.runtime` ships them there."""
