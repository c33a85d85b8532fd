BEGIN TRANSACTION;
CREATE TABLE account (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	scopes VARCHAR NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_account PRIMARY KEY (id), 
	CONSTRAINT ck_account_ck_account_name_length CHECK (length(name) BETWEEN 3 AND 32), 
	CONSTRAINT uq_account_name UNIQUE (name)
);
INSERT INTO "account" VALUES('account_01m86p49km045a3xektp0anzz9','admin','admin',1795520865907);
INSERT INTO "account" VALUES('account_01m86p49pk9nkcrby7ccpjfzka','worker','worker',1795520866002);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE bot (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	account_id VARCHAR NOT NULL, 
	created_at BIGINT NOT NULL, 
	retired_at BIGINT, 
	CONSTRAINT pk_bot PRIMARY KEY (id), 
	CONSTRAINT ck_bot_ck_bot_name_length CHECK (length(name) BETWEEN 2 AND 40), 
	CONSTRAINT ck_bot_ck_bot_name_lower CHECK (name = lower(name)), 
	CONSTRAINT fk_bot_account_id_account FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT uq_bot_name UNIQUE (name)
);
INSERT INTO "bot" VALUES('bot_01m86p4bfmj91nqmvq2rbhkxvb','first-0','account_01m86p49km045a3xektp0anzz9',1795520867820,NULL);
INSERT INTO "bot" VALUES('bot_01m86p4c9jn5j3qx3jdz8ne6w7','random-0','account_01m86p49km045a3xektp0anzz9',1795520868650,NULL);
INSERT INTO "bot" VALUES('bot_01m86p4chasn9e59ny6rdvqzb7','crash-0','account_01m86p49km045a3xektp0anzz9',1795520868903,NULL);
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
	task VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (id)
);
CREATE TABLE token (
	hash VARCHAR NOT NULL, 
	account_id VARCHAR NOT NULL, 
	scopes VARCHAR NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, id VARCHAR DEFAULT '' NOT NULL, label VARCHAR DEFAULT '' NOT NULL, parent VARCHAR DEFAULT '' NOT NULL, revoked_at BIGINT, replaces VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_token PRIMARY KEY (hash), 
	CONSTRAINT ck_token_ck_token_hash_length CHECK (length(hash) = 64), 
	CONSTRAINT fk_token_account_id_account FOREIGN KEY(account_id) REFERENCES account (id)
);
INSERT INTO "token" VALUES('67545d0ddc00f34e637cae8452e5d12d7cce8e5f1270cb2501de75f1f08939ac','account_01m86p49km045a3xektp0anzz9','admin',1795520865978,NULL,'token_01m86p49ntfhgyh43f0qk7c54t','','',NULL,'');
INSERT INTO "token" VALUES('ebf1cc5902f3ca509502daa8d0d25c0f858bb425fe80a60ec81af31f1d971cb7','account_01m86p49pk9nkcrby7ccpjfzka','worker',1795520866028,NULL,'token_01m86p49qdbt4btqs21gxw591c','','',NULL,'');
CREATE TABLE version (
	id VARCHAR NOT NULL, 
	bot_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	size INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	rules VARCHAR NOT NULL, 
	seats VARCHAR NOT NULL, 
	log TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	fence BIGINT NOT NULL, 
	attempts INTEGER NOT NULL, 
	worker VARCHAR NOT NULL, 
	created_at BIGINT NOT NULL, 
	since BIGINT NOT NULL, 
	lease_until BIGINT, suspended VARCHAR DEFAULT '' NOT NULL, progress VARCHAR DEFAULT '' NOT NULL, validated_ms BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_version PRIMARY KEY (id), 
	CONSTRAINT ck_version_ck_version_state CHECK (state IN ('uploaded', 'validating', 'valid', 'refused', 'active', 'retired', 'stalled')), 
	CONSTRAINT ck_version_ck_version_lease CHECK ((state = 'validating') = (lease_until IS NOT NULL)), 
	CONSTRAINT ck_version_ck_version_reason CHECK (state NOT IN ('refused', 'stalled') OR reason <> ''), 
	CONSTRAINT ck_version_ck_version_counts CHECK (fence >= 0 AND attempts >= 0 AND revision >= 0), 
	CONSTRAINT ck_version_ck_version_sha256_length CHECK (length(sha256) = 64), 
	CONSTRAINT ck_version_ck_version_number CHECK (number >= 1), 
	CONSTRAINT fk_version_bot_id_bot FOREIGN KEY(bot_id) REFERENCES bot (id), 
	CONSTRAINT uq_version_bot_id UNIQUE (bot_id, number), 
	CONSTRAINT uq_version_bot_id_sha256 UNIQUE (bot_id, sha256)
);
INSERT INTO "version" VALUES('version_01m86p4bgexbkbm20n0jaj8z2v','bot_01m86p4bfmj91nqmvq2rbhkxvb',1,'e5400507773b26547b1febe696d0b2018caa1052dc16ced2bcfbfd44c125f297',304,'active','','mau_mau','','',3,1,1,'test',1795520867845,1795520868468,NULL,'','',23);
INSERT INTO "version" VALUES('version_01m86p4ca3xhn95bw26zhcsr2s','bot_01m86p4c9jn5j3qx3jdz8ne6w7',1,'f3baa094f2ba2a0e89a17e44691cf3cd76ec038077664062a6296bf1182b855a',305,'active','','mau_mau','','',3,1,1,'test',1795520868666,1795520868817,NULL,'','',46);
INSERT INTO "version" VALUES('version_01m86p4cjhjqydf7pj9ka0vbg8','bot_01m86p4chasn9e59ny6rdvqzb7',1,'864da58016b5390f32d516a58a3af8f3c7a22fab7c84b1f7b4af7d047e2d44ec',306,'active','','mau_mau','','',3,1,1,'test',1795520868936,1795520869021,NULL,'','',17);
CREATE INDEX ix_token_account_id ON token (account_id);
CREATE INDEX ix_bot_account_id ON bot (account_id);
CREATE UNIQUE INDEX uq_version_active ON version (bot_id) WHERE state = 'active';
CREATE INDEX ix_version_bot_id ON version (bot_id);
CREATE INDEX ix_version_sha256 ON version (sha256);
CREATE INDEX ix_version_state_since ON version (state, since);
CREATE UNIQUE INDEX ix_token_id ON token (id);
CREATE INDEX ix_token_parent ON token (parent);
CREATE INDEX ix_token_replaces ON token (replaces);
COMMIT;
