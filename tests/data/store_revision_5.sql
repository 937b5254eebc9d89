BEGIN TRANSACTION;
CREATE TABLE absences (
	tournament TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	PRIMARY KEY (tournament, round, name), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
CREATE TABLE adjudications (
	tournament TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	serial INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	who TEXT NOT NULL, 
	at TEXT NOT NULL, 
	why TEXT NOT NULL, 
	PRIMARY KEY (tournament, number), 
	FOREIGN KEY(tournament, serial) REFERENCES issued (tournament, serial)
);
CREATE TABLE attempts (
	tournament TEXT NOT NULL, 
	serial INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	scores JSON NOT NULL, 
	ranks JSON NOT NULL, 
	capped BOOLEAN NOT NULL, 
	faults JSON NOT NULL, 
	forfeited JSON NOT NULL, 
	times JSON NOT NULL, 
	record TEXT NOT NULL, 
	record_sha256 TEXT NOT NULL, 
	started TEXT NOT NULL, 
	duration BIGINT NOT NULL, 
	stands BOOLEAN DEFAULT 1 NOT NULL, 
	PRIMARY KEY (tournament, serial, attempt), 
	FOREIGN KEY(tournament, serial) REFERENCES issued (tournament, serial)
);
INSERT INTO "attempts" VALUES('cup',1,1,'COMPLETED','[300, 120]','[1, 2]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/two_handed_spades-1-0eba877652919b87.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,0);
INSERT INTO "attempts" VALUES('cup',2,1,'COMPLETED','[300, 120]','[1, 2]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/two_handed_spades-1-e07e2bf86aeeb59f.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,0);
INSERT INTO "attempts" VALUES('cup',3,1,'COMPLETED','[300, 120]','[1, 2]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/two_handed_spades-1-4825d6179b235a75.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
INSERT INTO "attempts" VALUES('cup',1,0,'SKIPPED','[]','[]',0,'[]','[]','[]','','','',0,1);
INSERT INTO "attempts" VALUES('cup',2,0,'SKIPPED','[]','[]',0,'[]','[]','[]','','','',0,1);
INSERT INTO "attempts" VALUES('cup',4,0,'SKIPPED','[]','[]',0,'[]','[]','[]','','','',0,1);
INSERT INTO "attempts" VALUES('cup',5,0,'SKIPPED','[]','[]',0,'[]','[]','[]','','','',0,1);
CREATE TABLE checkpoints (
	tournament TEXT NOT NULL, 
	through INTEGER NOT NULL, 
	fingerprint TEXT NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (tournament), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
CREATE TABLE entry_rulings (
	tournament TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	entry TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	struck BOOLEAN NOT NULL, 
	who TEXT NOT NULL, 
	at TEXT NOT NULL, 
	why TEXT NOT NULL, 
	PRIMARY KEY (tournament, number), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
INSERT INTO "entry_rulings" VALUES('cup',1,'cid','disqualify',1,'olga','2026-11-25T12:00:00+00:00','it was two programs');
CREATE TABLE fairdeal_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT fairdeal_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "fairdeal_revision" VALUES('5');
CREATE TABLE issued (
	tournament TEXT NOT NULL, 
	serial INTEGER NOT NULL, 
	match_id TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	seats JSON NOT NULL, 
	versions JSON NOT NULL, 
	decided BOOLEAN NOT NULL, 
	PRIMARY KEY (tournament, serial), 
	CONSTRAINT issued_once UNIQUE (tournament, match_id), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
INSERT INTO "issued" VALUES('cup',1,'two_handed_spades-1-0eba877652919b87',1,'["cid", "ben"]','[null, null]',1);
INSERT INTO "issued" VALUES('cup',2,'two_handed_spades-1-e07e2bf86aeeb59f',1,'["cid", "ann"]','[null, "1.0"]',1);
INSERT INTO "issued" VALUES('cup',3,'two_handed_spades-1-4825d6179b235a75',1,'["ann", "ben"]','["1.0", null]',1);
INSERT INTO "issued" VALUES('cup',4,'two_handed_spades-2-fd00104a8774731b',2,'["ben", "cid"]','[null, null]',1);
INSERT INTO "issued" VALUES('cup',5,'two_handed_spades-2-4d8a3fe4baf4d4f6',2,'["ann", "cid"]','["1.0", null]',1);
INSERT INTO "issued" VALUES('cup',6,'two_handed_spades-2-4592848a7ab0e3c1',2,'["ben", "ann"]','[null, "1.0"]',0);
CREATE TABLE registrations (
	tournament TEXT NOT NULL, 
	name TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	entry JSON NOT NULL, 
	from_file BOOLEAN NOT NULL, 
	since TEXT NOT NULL, 
	PRIMARY KEY (tournament, name, number), 
	FOREIGN KEY(tournament, name) REFERENCES roster (tournament, name)
);
INSERT INTO "registrations" VALUES('cup','ann',1,'{"name": "ann", "version": "1.0", "bot": "greedy", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-11-25T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','ben',1,'{"name": "ben", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-11-25T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','cid',1,'{"name": "cid", "version": null, "bot": null, "arguments": [], "command": null, "remote": true, "strength": null, "hosting": null}',1,'2026-11-25T12:00:00+00:00');
CREATE TABLE roster (
	tournament TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	from_file BOOLEAN NOT NULL, 
	supervisors_lost INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (tournament, name), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
INSERT INTO "roster" VALUES('cup','ann',1,'active',1,0);
INSERT INTO "roster" VALUES('cup','ben',2,'active',1,0);
INSERT INTO "roster" VALUES('cup','cid',3,'active',1,0);
CREATE TABLE tournaments (
	tournament TEXT NOT NULL, 
	game TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	"plan" JSON NOT NULL, 
	seed TEXT, 
	bot_seed TEXT NOT NULL, 
	state TEXT NOT NULL, 
	roster_version INTEGER NOT NULL, 
	PRIMARY KEY (tournament)
);
INSERT INTO "tournaments" VALUES('cup','two_handed_spades','','{"name": "cup", "game": "two_handed_spades", "options": {"bag_limit": 10, "bag_penalty": 100, "failed_nil_tricks": "bags_and_points", "max_deals": 30, "nil_points": 100, "target": 300}, "match": "game", "rounds": 2, "concurrency": 8, "seed": "spring", "clock": {"move": 2000000, "bank": 60000000, "increment": 0, "lag": 100000, "lag_cap": 5000000, "start": 30000000}, "faults": {"substitute": true, "max_faults": 3}, "rating": {"mu": 25.0, "sigma": 8.333333333333334, "beta": 4.166666666666667, "tau": 0.0, "draw_probability": null}, "entries": [{"name": "ann", "version": "1.0", "bot": "greedy", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "ben", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "cid", "version": null, "bot": null, "arguments": [], "command": null, "remote": true, "strength": null, "hosting": null}], "limits": {"frame_bytes": 32768, "unacknowledged_frames": 64, "unacknowledged_bytes": 262144, "queued_bytes": 262144, "sessions": 4096, "sessions_per_peer": 2048, "sessions_per_entry": 16, "tables_per_session": 256, "frames_per_second": 100, "answers_per_second": 100, "bytes_per_second": 262144, "calls_per_second": 100, "calls_per_peer": 64, "watchers": 256, "watched_steps": 256, "watch_delay": 3, "strangers_per_second": 100, "hellos_per_second": 20, "hellos_awaited": 1024, "hello_seconds": 10, "idle_seconds": 120, "heartbeat_seconds": 15, "keepalive_seconds": 5, "keepalive_timeout_seconds": 3, "handshake_seconds": 10, "connections": 0, "streams_per_connection": 64, "metadata_bytes": 8192}, "durability": "process", "format": "round_robin", "partners": "mixed", "teams": [], "challenger": null, "registration": "closed", "hosting": {"restarts": 3, "restart_window": 600000000, "log_bytes": 1048576, "memory": null, "cpu_seconds": null, "open_files": null, "processes": null, "sandbox": "none", "keep": 60000000, "max_live": 64}, "remote": {"wait": 60000000, "no_show": "forfeit"}, "server": {"listen": "127.0.0.1:0", "certificate": null, "key": null, "client_ca": null, "insecure": false}}','spring','3b8cb41d0f6ee9648d08d17fd59e1bb3','running',2);
CREATE INDEX issued_open ON issued (tournament, serial) WHERE decided IS 0;
CREATE UNIQUE INDEX attempts_deciding ON attempts (tournament, serial) WHERE status IN ('COMPLETED', 'FORFEIT', 'SKIPPED') AND stands;
CREATE INDEX adjudications_of_match ON adjudications (tournament, serial);
COMMIT;
