import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TeamRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEAM_ROLE_UNSPECIFIED: _ClassVar[TeamRole]
    TEAM_ROLE_MEMBER: _ClassVar[TeamRole]
    TEAM_ROLE_OWNER: _ClassVar[TeamRole]
TEAM_ROLE_UNSPECIFIED: TeamRole
TEAM_ROLE_MEMBER: TeamRole
TEAM_ROLE_OWNER: TeamRole

class Team(_message.Message):
    __slots__ = ("name", "members", "bots", "created_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    members: int
    bots: int
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., members: _Optional[int] = ..., bots: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TeamMember(_message.Message):
    __slots__ = ("account_name", "role", "joined_at")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    role: TeamRole
    joined_at: _timestamp_pb2.Timestamp
    def __init__(self, account_name: _Optional[str] = ..., role: _Optional[_Union[TeamRole, str]] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TeamInvitation(_message.Message):
    __slots__ = ("id", "team_name", "account_name", "created_at", "expires_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    team_name: str
    account_name: str
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., team_name: _Optional[str] = ..., account_name: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateTeamRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CreateTeamResponse(_message.Message):
    __slots__ = ("team",)
    TEAM_FIELD_NUMBER: _ClassVar[int]
    team: Team
    def __init__(self, team: _Optional[_Union[Team, _Mapping]] = ...) -> None: ...

class GetTeamRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetTeamResponse(_message.Message):
    __slots__ = ("team", "members")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    team: Team
    members: _containers.RepeatedCompositeFieldContainer[TeamMember]
    def __init__(self, team: _Optional[_Union[Team, _Mapping]] = ..., members: _Optional[_Iterable[_Union[TeamMember, _Mapping]]] = ...) -> None: ...

class ListTeamsRequest(_message.Message):
    __slots__ = ("contains", "page_size", "page_token")
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    contains: str
    page_size: int
    page_token: str
    def __init__(self, contains: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTeamsResponse(_message.Message):
    __slots__ = ("teams", "next_page_token")
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    teams: _containers.RepeatedCompositeFieldContainer[Team]
    next_page_token: str
    def __init__(self, teams: _Optional[_Iterable[_Union[Team, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class InviteToTeamRequest(_message.Message):
    __slots__ = ("account_name", "hours", "team_name")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    HOURS_FIELD_NUMBER: _ClassVar[int]
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    hours: int
    team_name: str
    def __init__(self, account_name: _Optional[str] = ..., hours: _Optional[int] = ..., team_name: _Optional[str] = ...) -> None: ...

class InviteToTeamResponse(_message.Message):
    __slots__ = ("invitation", "code")
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    invitation: TeamInvitation
    code: str
    def __init__(self, invitation: _Optional[_Union[TeamInvitation, _Mapping]] = ..., code: _Optional[str] = ...) -> None: ...

class ListTeamInvitationsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListTeamInvitationsResponse(_message.Message):
    __slots__ = ("invitations",)
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    invitations: _containers.RepeatedCompositeFieldContainer[TeamInvitation]
    def __init__(self, invitations: _Optional[_Iterable[_Union[TeamInvitation, _Mapping]]] = ...) -> None: ...

class EndTeamInvitationRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class EndTeamInvitationResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class JoinTeamRequest(_message.Message):
    __slots__ = ("code", "invitation_id")
    CODE_FIELD_NUMBER: _ClassVar[int]
    INVITATION_ID_FIELD_NUMBER: _ClassVar[int]
    code: str
    invitation_id: str
    def __init__(self, code: _Optional[str] = ..., invitation_id: _Optional[str] = ...) -> None: ...

class JoinTeamResponse(_message.Message):
    __slots__ = ("team", "brought_bots")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    BROUGHT_BOTS_FIELD_NUMBER: _ClassVar[int]
    team: Team
    brought_bots: int
    def __init__(self, team: _Optional[_Union[Team, _Mapping]] = ..., brought_bots: _Optional[int] = ...) -> None: ...

class SetTeamRoleRequest(_message.Message):
    __slots__ = ("account_name", "role", "team_name")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    role: TeamRole
    team_name: str
    def __init__(self, account_name: _Optional[str] = ..., role: _Optional[_Union[TeamRole, str]] = ..., team_name: _Optional[str] = ...) -> None: ...

class SetTeamRoleResponse(_message.Message):
    __slots__ = ("member",)
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    member: TeamMember
    def __init__(self, member: _Optional[_Union[TeamMember, _Mapping]] = ...) -> None: ...

class LeaveTeamRequest(_message.Message):
    __slots__ = ("account_name", "team_name")
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    account_name: str
    team_name: str
    def __init__(self, account_name: _Optional[str] = ..., team_name: _Optional[str] = ...) -> None: ...

class LeaveTeamResponse(_message.Message):
    __slots__ = ("returned_bots",)
    RETURNED_BOTS_FIELD_NUMBER: _ClassVar[int]
    returned_bots: int
    def __init__(self, returned_bots: _Optional[int] = ...) -> None: ...

class DissolveTeamRequest(_message.Message):
    __slots__ = ("team_name",)
    TEAM_NAME_FIELD_NUMBER: _ClassVar[int]
    team_name: str
    def __init__(self, team_name: _Optional[str] = ...) -> None: ...

class DissolveTeamResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
