import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from maumau.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VersionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERSION_STATE_UNSPECIFIED: _ClassVar[VersionState]
    VERSION_STATE_UPLOADED: _ClassVar[VersionState]
    VERSION_STATE_VALIDATING: _ClassVar[VersionState]
    VERSION_STATE_VALID: _ClassVar[VersionState]
    VERSION_STATE_REFUSED: _ClassVar[VersionState]
    VERSION_STATE_ACTIVE: _ClassVar[VersionState]
    VERSION_STATE_RETIRED: _ClassVar[VersionState]
    VERSION_STATE_STALLED: _ClassVar[VersionState]
    VERSION_STATE_SUSPENDED: _ClassVar[VersionState]

class GroupRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GROUP_ROLE_UNSPECIFIED: _ClassVar[GroupRole]
    GROUP_ROLE_MEMBER: _ClassVar[GroupRole]
    GROUP_ROLE_ORGANISER: _ClassVar[GroupRole]

class InvitationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INVITATION_STATE_UNSPECIFIED: _ClassVar[InvitationState]
    INVITATION_STATE_OPEN: _ClassVar[InvitationState]
    INVITATION_STATE_USED: _ClassVar[InvitationState]
    INVITATION_STATE_EXPIRED: _ClassVar[InvitationState]
    INVITATION_STATE_REVOKED: _ClassVar[InvitationState]
VERSION_STATE_UNSPECIFIED: VersionState
VERSION_STATE_UPLOADED: VersionState
VERSION_STATE_VALIDATING: VersionState
VERSION_STATE_VALID: VersionState
VERSION_STATE_REFUSED: VersionState
VERSION_STATE_ACTIVE: VersionState
VERSION_STATE_RETIRED: VersionState
VERSION_STATE_STALLED: VersionState
VERSION_STATE_SUSPENDED: VersionState
GROUP_ROLE_UNSPECIFIED: GroupRole
GROUP_ROLE_MEMBER: GroupRole
GROUP_ROLE_ORGANISER: GroupRole
INVITATION_STATE_UNSPECIFIED: InvitationState
INVITATION_STATE_OPEN: InvitationState
INVITATION_STATE_USED: InvitationState
INVITATION_STATE_EXPIRED: InvitationState
INVITATION_STATE_REVOKED: InvitationState

class Version(_message.Message):
    __slots__ = ("id", "bot_id", "bot_name", "account_name", "number", "sha256", "state", "reason", "rules", "seats", "created_at", "progress", "built_sha256", "built_platform", "queue_place", "queue_seconds", "activates", "runtime", "plays_people")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_ID_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    BUILT_PLATFORM_FIELD_NUMBER: _ClassVar[int]
    QUEUE_PLACE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ACTIVATES_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    PLAYS_PEOPLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    bot_id: str
    bot_name: str
    account_name: str
    number: int
    sha256: str
    state: VersionState
    reason: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    seats: _containers.RepeatedScalarFieldContainer[int]
    created_at: _timestamp_pb2.Timestamp
    progress: str
    built_sha256: str
    built_platform: str
    queue_place: int
    queue_seconds: float
    activates: bool
    runtime: str
    plays_people: bool
    def __init__(self, id: _Optional[str] = ..., bot_id: _Optional[str] = ..., bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., number: _Optional[int] = ..., sha256: _Optional[str] = ..., state: _Optional[_Union[VersionState, str]] = ..., reason: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ..., seats: _Optional[_Iterable[int]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., progress: _Optional[str] = ..., built_sha256: _Optional[str] = ..., built_platform: _Optional[str] = ..., queue_place: _Optional[int] = ..., queue_seconds: _Optional[float] = ..., activates: _Optional[bool] = ..., runtime: _Optional[str] = ..., plays_people: _Optional[bool] = ...) -> None: ...

class Bot(_message.Message):
    __slots__ = ("id", "name", "account_name", "versions")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    account_name: str
    versions: _containers.RepeatedCompositeFieldContainer[Version]
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., account_name: _Optional[str] = ..., versions: _Optional[_Iterable[_Union[Version, _Mapping]]] = ...) -> None: ...

class CreateAccountRequest(_message.Message):
    __slots__ = ("name", "code")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    name: str
    code: str
    def __init__(self, name: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class CreateAccountResponse(_message.Message):
    __slots__ = ("account_id", "token", "expires_at", "group_name")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    token: str
    expires_at: _timestamp_pb2.Timestamp
    group_name: str
    def __init__(self, account_id: _Optional[str] = ..., token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., group_name: _Optional[str] = ...) -> None: ...

class AccountGroup(_message.Message):
    __slots__ = ("name", "role", "members", "created_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    role: GroupRole
    members: int
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., role: _Optional[_Union[GroupRole, str]] = ..., members: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GroupMember(_message.Message):
    __slots__ = ("account_name", "role", "joined_at")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    role: GroupRole
    joined_at: _timestamp_pb2.Timestamp
    def __init__(self, account_name: _Optional[str] = ..., role: _Optional[_Union[GroupRole, str]] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GroupInvitation(_message.Message):
    __slots__ = ("id", "group_name", "role", "state", "account_name", "created_at", "expires_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    group_name: str
    role: GroupRole
    state: InvitationState
    account_name: str
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., group_name: _Optional[str] = ..., role: _Optional[_Union[GroupRole, str]] = ..., state: _Optional[_Union[InvitationState, str]] = ..., account_name: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NewInvitation(_message.Message):
    __slots__ = ("id", "code")
    ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    code: str
    def __init__(self, id: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class CreateInvitationsRequest(_message.Message):
    __slots__ = ("group_name", "count", "hours", "role")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    HOURS_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    count: int
    hours: int
    role: GroupRole
    def __init__(self, group_name: _Optional[str] = ..., count: _Optional[int] = ..., hours: _Optional[int] = ..., role: _Optional[_Union[GroupRole, str]] = ...) -> None: ...

class CreateInvitationsResponse(_message.Message):
    __slots__ = ("invitations", "expires_at", "new_group", "page")
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    NEW_GROUP_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    invitations: _containers.RepeatedCompositeFieldContainer[NewInvitation]
    expires_at: _timestamp_pb2.Timestamp
    new_group: bool
    page: str
    def __init__(self, invitations: _Optional[_Iterable[_Union[NewInvitation, _Mapping]]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., new_group: _Optional[bool] = ..., page: _Optional[str] = ...) -> None: ...

class ListInvitationsRequest(_message.Message):
    __slots__ = ("group_name", "page_size", "page_token")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    page_size: int
    page_token: str
    def __init__(self, group_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListInvitationsResponse(_message.Message):
    __slots__ = ("invitations", "next_page_token")
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    invitations: _containers.RepeatedCompositeFieldContainer[GroupInvitation]
    next_page_token: str
    def __init__(self, invitations: _Optional[_Iterable[_Union[GroupInvitation, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeInvitationsRequest(_message.Message):
    __slots__ = ("ids", "group_name")
    IDS_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    group_name: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., group_name: _Optional[str] = ...) -> None: ...

class RevokeInvitationsResponse(_message.Message):
    __slots__ = ("revoked",)
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    revoked: int
    def __init__(self, revoked: _Optional[int] = ...) -> None: ...

class JoinGroupRequest(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: str
    def __init__(self, code: _Optional[str] = ...) -> None: ...

class JoinGroupResponse(_message.Message):
    __slots__ = ("group",)
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: AccountGroup
    def __init__(self, group: _Optional[_Union[AccountGroup, _Mapping]] = ...) -> None: ...

class ListGroupsRequest(_message.Message):
    __slots__ = ("name", "page_size", "page_token")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    name: str
    page_size: int
    page_token: str
    def __init__(self, name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListGroupsResponse(_message.Message):
    __slots__ = ("groups", "next_page_token")
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[AccountGroup]
    next_page_token: str
    def __init__(self, groups: _Optional[_Iterable[_Union[AccountGroup, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListMembersRequest(_message.Message):
    __slots__ = ("group_name", "page_size", "page_token")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    page_size: int
    page_token: str
    def __init__(self, group_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMembersResponse(_message.Message):
    __slots__ = ("members", "next_page_token")
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    members: _containers.RepeatedCompositeFieldContainer[GroupMember]
    next_page_token: str
    def __init__(self, members: _Optional[_Iterable[_Union[GroupMember, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SetMemberRequest(_message.Message):
    __slots__ = ("group_name", "account_name", "role")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    account_name: str
    role: GroupRole
    def __init__(self, group_name: _Optional[str] = ..., account_name: _Optional[str] = ..., role: _Optional[_Union[GroupRole, str]] = ...) -> None: ...

class SetMemberResponse(_message.Message):
    __slots__ = ("member",)
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    member: GroupMember
    def __init__(self, member: _Optional[_Union[GroupMember, _Mapping]] = ...) -> None: ...

class RemoveMemberRequest(_message.Message):
    __slots__ = ("group_name", "account_name")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    account_name: str
    def __init__(self, group_name: _Optional[str] = ..., account_name: _Optional[str] = ...) -> None: ...

class RemoveMemberResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Membership(_message.Message):
    __slots__ = ("group_name", "role")
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    group_name: str
    role: GroupRole
    def __init__(self, group_name: _Optional[str] = ..., role: _Optional[_Union[GroupRole, str]] = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("name", "scopes", "tokens", "bots", "created_at", "used_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    USED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    tokens: int
    bots: int
    created_at: _timestamp_pb2.Timestamp
    used_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., tokens: _Optional[int] = ..., bots: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., used_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListAccountsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "after")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    after: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class ListAccountsResponse(_message.Message):
    __slots__ = ("accounts", "next_page_token")
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[Account]
    next_page_token: str
    def __init__(self, accounts: _Optional[_Iterable[_Union[Account, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CreateTokenRequest(_message.Message):
    __slots__ = ("scopes", "days", "account_name", "label")
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedScalarFieldContainer[str]
    days: int
    account_name: str
    label: str
    def __init__(self, scopes: _Optional[_Iterable[str]] = ..., days: _Optional[int] = ..., account_name: _Optional[str] = ..., label: _Optional[str] = ...) -> None: ...

class CreateTokenResponse(_message.Message):
    __slots__ = ("token", "expires_at")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("id", "label", "account_name", "scopes", "created_at", "expires_at", "parent_id", "current", "used_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    USED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    label: str
    account_name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    parent_id: str
    current: bool
    used_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., label: _Optional[str] = ..., account_name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., parent_id: _Optional[str] = ..., current: _Optional[bool] = ..., used_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ("account_name", "page_size", "page_token")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    page_size: int
    page_token: str
    def __init__(self, account_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ("tokens", "next_page_token")
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    next_page_token: str
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ("revoked",)
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    revoked: int
    def __init__(self, revoked: _Optional[int] = ...) -> None: ...

class RotateTokenRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RotateTokenResponse(_message.Message):
    __slots__ = ("token", "expires_at")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreatePageCodeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CreatePageCodeResponse(_message.Message):
    __slots__ = ("code", "expires_at", "page")
    CODE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    expires_at: _timestamp_pb2.Timestamp
    page: str
    def __init__(self, code: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page: _Optional[str] = ...) -> None: ...

class RedeemPageCodeRequest(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: str
    def __init__(self, code: _Optional[str] = ...) -> None: ...

class RedeemPageCodeResponse(_message.Message):
    __slots__ = ("token", "expires_at", "account_name")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    account_name: str
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., account_name: _Optional[str] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "open", "takes_strangers", "runtimes", "limits", "variants", "registration", "arena", "page")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    TAKES_STRANGERS_FIELD_NUMBER: _ClassVar[int]
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    REGISTRATION_FIELD_NUMBER: _ClassVar[int]
    ARENA_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    version: str
    open: bool
    takes_strangers: bool
    runtimes: _containers.RepeatedScalarFieldContainer[str]
    limits: ServerLimits
    variants: _containers.RepeatedCompositeFieldContainer[VariantInfo]
    registration: str
    arena: str
    page: str
    def __init__(self, version: _Optional[str] = ..., open: _Optional[bool] = ..., takes_strangers: _Optional[bool] = ..., runtimes: _Optional[_Iterable[str]] = ..., limits: _Optional[_Union[ServerLimits, _Mapping]] = ..., variants: _Optional[_Iterable[_Union[VariantInfo, _Mapping]]] = ..., registration: _Optional[str] = ..., arena: _Optional[str] = ..., page: _Optional[str] = ...) -> None: ...

class ServerLimits(_message.Message):
    __slots__ = ("upload_bytes", "unpacked_bytes", "members", "bots", "waiting_versions", "stored_mib", "validation_minutes", "versions_a_day")
    UPLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    UNPACKED_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    WAITING_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    STORED_MIB_FIELD_NUMBER: _ClassVar[int]
    VALIDATION_MINUTES_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_A_DAY_FIELD_NUMBER: _ClassVar[int]
    upload_bytes: int
    unpacked_bytes: int
    members: int
    bots: int
    waiting_versions: int
    stored_mib: int
    validation_minutes: int
    versions_a_day: int
    def __init__(self, upload_bytes: _Optional[int] = ..., unpacked_bytes: _Optional[int] = ..., members: _Optional[int] = ..., bots: _Optional[int] = ..., waiting_versions: _Optional[int] = ..., stored_mib: _Optional[int] = ..., validation_minutes: _Optional[int] = ..., versions_a_day: _Optional[int] = ...) -> None: ...

class VariantInfo(_message.Message):
    __slots__ = ("name", "rules_hash", "fewest_seats", "most_seats")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_HASH_FIELD_NUMBER: _ClassVar[int]
    FEWEST_SEATS_FIELD_NUMBER: _ClassVar[int]
    MOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    name: str
    rules_hash: str
    fewest_seats: int
    most_seats: int
    def __init__(self, name: _Optional[str] = ..., rules_hash: _Optional[str] = ..., fewest_seats: _Optional[int] = ..., most_seats: _Optional[int] = ...) -> None: ...

class WhoAmIRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoAmIResponse(_message.Message):
    __slots__ = ("account_id", "account_name", "scopes", "expires_at", "host", "groups", "team_name")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    account_name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    expires_at: _timestamp_pb2.Timestamp
    host: str
    groups: _containers.RepeatedCompositeFieldContainer[Membership]
    team_name: str
    def __init__(self, account_id: _Optional[str] = ..., account_name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., host: _Optional[str] = ..., groups: _Optional[_Iterable[_Union[Membership, _Mapping]]] = ..., team_name: _Optional[str] = ...) -> None: ...

class CreateBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CreateBotResponse(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ...) -> None: ...

class SubmitVersionRequest(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: SubmitVersionHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[SubmitVersionHeader, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class SubmitVersionHeader(_message.Message):
    __slots__ = ("bot_name", "size", "upload_sha256", "no_activate")
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_SHA256_FIELD_NUMBER: _ClassVar[int]
    NO_ACTIVATE_FIELD_NUMBER: _ClassVar[int]
    bot_name: str
    size: int
    upload_sha256: str
    no_activate: bool
    def __init__(self, bot_name: _Optional[str] = ..., size: _Optional[int] = ..., upload_sha256: _Optional[str] = ..., no_activate: _Optional[bool] = ...) -> None: ...

class SubmitVersionResponse(_message.Message):
    __slots__ = ("version", "known")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    version: Version
    known: bool
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ..., known: _Optional[bool] = ...) -> None: ...

class GetVersionRequest(_message.Message):
    __slots__ = ("version_id",)
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    def __init__(self, version_id: _Optional[str] = ...) -> None: ...

class GetVersionResponse(_message.Message):
    __slots__ = ("version", "owner")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    version: Version
    owner: VersionOwner
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ..., owner: _Optional[_Union[VersionOwner, _Mapping]] = ...) -> None: ...

class ListInactiveVersionsRequest(_message.Message):
    __slots__ = ("version_ids",)
    VERSION_IDS_FIELD_NUMBER: _ClassVar[int]
    version_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListInactiveVersionsResponse(_message.Message):
    __slots__ = ("version_ids",)
    VERSION_IDS_FIELD_NUMBER: _ClassVar[int]
    version_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class VersionOwner(_message.Message):
    __slots__ = ("name", "team", "members", "groups", "related", "party")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    RELATED_FIELD_NUMBER: _ClassVar[int]
    PARTY_FIELD_NUMBER: _ClassVar[int]
    name: str
    team: bool
    members: _containers.RepeatedScalarFieldContainer[str]
    groups: _containers.RepeatedScalarFieldContainer[str]
    related: _containers.RepeatedCompositeFieldContainer[RelatedOwner]
    party: str
    def __init__(self, name: _Optional[str] = ..., team: _Optional[bool] = ..., members: _Optional[_Iterable[str]] = ..., groups: _Optional[_Iterable[str]] = ..., related: _Optional[_Iterable[_Union[RelatedOwner, _Mapping]]] = ..., party: _Optional[str] = ...) -> None: ...

class RelatedOwner(_message.Message):
    __slots__ = ("name", "until")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    until: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WatchVersionRequest(_message.Message):
    __slots__ = ("version_id",)
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    def __init__(self, version_id: _Optional[str] = ...) -> None: ...

class WatchVersionResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: Version
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ...) -> None: ...

class GetLogRequest(_message.Message):
    __slots__ = ("version_id",)
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    def __init__(self, version_id: _Optional[str] = ...) -> None: ...

class GetLogResponse(_message.Message):
    __slots__ = ("log",)
    LOG_FIELD_NUMBER: _ClassVar[int]
    log: str
    def __init__(self, log: _Optional[str] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ("mine", "page_size", "page_token", "account_name", "contains")
    MINE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    mine: bool
    page_size: int
    page_token: str
    account_name: str
    contains: str
    def __init__(self, mine: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., account_name: _Optional[str] = ..., contains: _Optional[str] = ...) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots", "next_page_token")
    BOTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[Bot]
    next_page_token: str
    def __init__(self, bots: _Optional[_Iterable[_Union[Bot, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListAuthorsRequest(_message.Message):
    __slots__ = ("contains", "name", "page_size", "page_token")
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    contains: str
    name: str
    page_size: int
    page_token: str
    def __init__(self, contains: _Optional[str] = ..., name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAuthorsResponse(_message.Message):
    __slots__ = ("authors", "next_page_token")
    AUTHORS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    authors: _containers.RepeatedCompositeFieldContainer[Author]
    next_page_token: str
    def __init__(self, authors: _Optional[_Iterable[_Union[Author, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Author(_message.Message):
    __slots__ = ("name", "team", "bots")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    team: bool
    bots: int
    def __init__(self, name: _Optional[str] = ..., team: _Optional[bool] = ..., bots: _Optional[int] = ...) -> None: ...

class ListVersionsRequest(_message.Message):
    __slots__ = ("bot_name", "page_size", "page_token")
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bot_name: str
    page_size: int
    page_token: str
    def __init__(self, bot_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListVersionsResponse(_message.Message):
    __slots__ = ("versions", "next_page_token")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[Version]
    next_page_token: str
    def __init__(self, versions: _Optional[_Iterable[_Union[Version, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ActivateVersionRequest(_message.Message):
    __slots__ = ("version_id",)
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    def __init__(self, version_id: _Optional[str] = ...) -> None: ...

class ActivateVersionResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: Version
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ...) -> None: ...

class LetPlayPeopleRequest(_message.Message):
    __slots__ = ("version_id", "plays_people")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYS_PEOPLE_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    plays_people: bool
    def __init__(self, version_id: _Optional[str] = ..., plays_people: _Optional[bool] = ...) -> None: ...

class LetPlayPeopleResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: Version
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ...) -> None: ...

class DeleteAccountRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteAccountResponse(_message.Message):
    __slots__ = ("pseudonym", "bots")
    PSEUDONYM_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    pseudonym: str
    bots: int
    def __init__(self, pseudonym: _Optional[str] = ..., bots: _Optional[int] = ...) -> None: ...

class GetArtifactRequest(_message.Message):
    __slots__ = ("sha256",)
    SHA256_FIELD_NUMBER: _ClassVar[int]
    sha256: str
    def __init__(self, sha256: _Optional[str] = ...) -> None: ...

class GetArtifactResponse(_message.Message):
    __slots__ = ("chunk",)
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    def __init__(self, chunk: _Optional[bytes] = ...) -> None: ...

class DeleteBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteBotResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClaimValidationRequest(_message.Message):
    __slots__ = ("version_id", "worker", "platform", "by_turn", "trials")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    BY_TURN_FIELD_NUMBER: _ClassVar[int]
    TRIALS_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    worker: str
    platform: str
    by_turn: bool
    trials: bool
    def __init__(self, version_id: _Optional[str] = ..., worker: _Optional[str] = ..., platform: _Optional[str] = ..., by_turn: _Optional[bool] = ..., trials: _Optional[bool] = ...) -> None: ...

class ClaimValidationResponse(_message.Message):
    __slots__ = ("claimed", "fence", "sha256", "bot_name", "lease_seconds", "built_sha256", "version_id", "trial")
    CLAIMED_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    LEASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    TRIAL_FIELD_NUMBER: _ClassVar[int]
    claimed: bool
    fence: int
    sha256: str
    bot_name: str
    lease_seconds: int
    built_sha256: str
    version_id: str
    trial: TrialTerms
    def __init__(self, claimed: _Optional[bool] = ..., fence: _Optional[int] = ..., sha256: _Optional[str] = ..., bot_name: _Optional[str] = ..., lease_seconds: _Optional[int] = ..., built_sha256: _Optional[str] = ..., version_id: _Optional[str] = ..., trial: _Optional[_Union[TrialTerms, _Mapping]] = ...) -> None: ...

class TrialTerms(_message.Message):
    __slots__ = ("rules", "seats", "deal_ms", "memory_mib")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DEAL_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[_game_pb2.RuleSet]
    seats: _containers.RepeatedScalarFieldContainer[int]
    deal_ms: int
    memory_mib: int
    def __init__(self, rules: _Optional[_Iterable[_Union[_game_pb2.RuleSet, _Mapping]]] = ..., seats: _Optional[_Iterable[int]] = ..., deal_ms: _Optional[int] = ..., memory_mib: _Optional[int] = ...) -> None: ...

class RequestTrialRequest(_message.Message):
    __slots__ = ("version_id", "key", "terms", "begin")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    key: str
    terms: TrialTerms
    begin: bool
    def __init__(self, version_id: _Optional[str] = ..., key: _Optional[str] = ..., terms: _Optional[_Union[TrialTerms, _Mapping]] = ..., begin: _Optional[bool] = ...) -> None: ...

class RequestTrialResponse(_message.Message):
    __slots__ = ("state", "reason", "log")
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    state: str
    reason: str
    log: str
    def __init__(self, state: _Optional[str] = ..., reason: _Optional[str] = ..., log: _Optional[str] = ...) -> None: ...

class RenewValidationRequest(_message.Message):
    __slots__ = ("version_id", "fence", "progress", "give_back")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    GIVE_BACK_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    fence: int
    progress: str
    give_back: bool
    def __init__(self, version_id: _Optional[str] = ..., fence: _Optional[int] = ..., progress: _Optional[str] = ..., give_back: _Optional[bool] = ...) -> None: ...

class RenewValidationResponse(_message.Message):
    __slots__ = ("lease_seconds",)
    LEASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    lease_seconds: int
    def __init__(self, lease_seconds: _Optional[int] = ...) -> None: ...

class UploadBuildRequest(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: UploadBuildHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[UploadBuildHeader, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadBuildHeader(_message.Message):
    __slots__ = ("version_id", "fence", "size", "upload_sha256", "platform")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_SHA256_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    fence: int
    size: int
    upload_sha256: str
    platform: str
    def __init__(self, version_id: _Optional[str] = ..., fence: _Optional[int] = ..., size: _Optional[int] = ..., upload_sha256: _Optional[str] = ..., platform: _Optional[str] = ...) -> None: ...

class UploadBuildResponse(_message.Message):
    __slots__ = ("built_sha256",)
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    built_sha256: str
    def __init__(self, built_sha256: _Optional[str] = ...) -> None: ...

class SubmitValidationRequest(_message.Message):
    __slots__ = ("version_id", "fence", "ok", "reason", "log", "rules", "seats")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    fence: int
    ok: bool
    reason: str
    log: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, version_id: _Optional[str] = ..., fence: _Optional[int] = ..., ok: _Optional[bool] = ..., reason: _Optional[str] = ..., log: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ..., seats: _Optional[_Iterable[int]] = ...) -> None: ...

class SubmitValidationResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReleaseValidationsRequest(_message.Message):
    __slots__ = ("workers",)
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    workers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, workers: _Optional[_Iterable[str]] = ...) -> None: ...

class ReleaseValidationsResponse(_message.Message):
    __slots__ = ("released",)
    RELEASED_FIELD_NUMBER: _ClassVar[int]
    released: int
    def __init__(self, released: _Optional[int] = ...) -> None: ...

class SuspendVersionRequest(_message.Message):
    __slots__ = ("version_id", "words")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    words: str
    def __init__(self, version_id: _Optional[str] = ..., words: _Optional[str] = ...) -> None: ...

class SuspendVersionResponse(_message.Message):
    __slots__ = ("suspended",)
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    suspended: bool
    def __init__(self, suspended: _Optional[bool] = ...) -> None: ...

class CompareSourcesRequest(_message.Message):
    __slots__ = ("sha256",)
    SHA256_FIELD_NUMBER: _ClassVar[int]
    sha256: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, sha256: _Optional[_Iterable[str]] = ...) -> None: ...

class CompareSourcesResponse(_message.Message):
    __slots__ = ("pairs", "unreadable")
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    pairs: _containers.RepeatedCompositeFieldContainer[SourceLikeness]
    unreadable: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, pairs: _Optional[_Iterable[_Union[SourceLikeness, _Mapping]]] = ..., unreadable: _Optional[_Iterable[str]] = ...) -> None: ...

class SourceLikeness(_message.Message):
    __slots__ = ("first", "second", "first_fingerprints", "second_fingerprints", "common", "share", "named")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FINGERPRINTS_FIELD_NUMBER: _ClassVar[int]
    SECOND_FINGERPRINTS_FIELD_NUMBER: _ClassVar[int]
    COMMON_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    first: str
    second: str
    first_fingerprints: int
    second_fingerprints: int
    common: int
    share: float
    named: bool
    def __init__(self, first: _Optional[str] = ..., second: _Optional[str] = ..., first_fingerprints: _Optional[int] = ..., second_fingerprints: _Optional[int] = ..., common: _Optional[int] = ..., share: _Optional[float] = ..., named: _Optional[bool] = ...) -> None: ...
