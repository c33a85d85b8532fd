import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Login(_message.Message):
    __slots__ = ("issuer", "subject", "linked_at")
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    LINKED_AT_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    subject: str
    linked_at: _timestamp_pb2.Timestamp
    def __init__(self, issuer: _Optional[str] = ..., subject: _Optional[str] = ..., linked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class OpenLoginRequest(_message.Message):
    __slots__ = ("issuer", "subject")
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    subject: str
    def __init__(self, issuer: _Optional[str] = ..., subject: _Optional[str] = ...) -> None: ...

class OpenLoginResponse(_message.Message):
    __slots__ = ("token", "expires_at", "account_name")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    account_name: str
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., account_name: _Optional[str] = ...) -> None: ...

class CreateLoginAccountRequest(_message.Message):
    __slots__ = ("issuer", "subject", "name", "code")
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    subject: str
    name: str
    code: str
    def __init__(self, issuer: _Optional[str] = ..., subject: _Optional[str] = ..., name: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class CreateLoginAccountResponse(_message.Message):
    __slots__ = ("token", "expires_at", "group_name")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    group_name: str
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., group_name: _Optional[str] = ...) -> None: ...

class LinkLoginRequest(_message.Message):
    __slots__ = ("account_name", "issuer", "subject", "as_author")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    AS_AUTHOR_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    issuer: str
    subject: str
    as_author: bool
    def __init__(self, account_name: _Optional[str] = ..., issuer: _Optional[str] = ..., subject: _Optional[str] = ..., as_author: _Optional[bool] = ...) -> None: ...

class LinkLoginResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListLoginsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListLoginsResponse(_message.Message):
    __slots__ = ("logins",)
    LOGINS_FIELD_NUMBER: _ClassVar[int]
    logins: _containers.RepeatedCompositeFieldContainer[Login]
    def __init__(self, logins: _Optional[_Iterable[_Union[Login, _Mapping]]] = ...) -> None: ...
