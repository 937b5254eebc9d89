BEGIN TRANSACTION;
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
	FOREIGN KEY(tournament, serial, attempt) REFERENCES attempts (tournament, serial, attempt)
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
	duration BIGINT NOT NULL, stands BOOLEAN DEFAULT 1 NOT NULL, 
	PRIMARY KEY (tournament, serial, attempt), 
	FOREIGN KEY(tournament, serial) REFERENCES issued (tournament, serial)
);
INSERT INTO "attempts" VALUES('cup',1,1,'COMPLETED','[29, 2, 13, 24]','[4, 1, 2, 3]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/hearts-1-8ba1450a07334c1e.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
INSERT INTO "attempts" VALUES('cup',2,1,'COMPLETED','[22, 8, 14, 18]','[4, 1, 2, 3]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/hearts-1-b36f5a160af53aac.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
INSERT INTO "attempts" VALUES('cup',3,1,'COMPLETED','[24, 0, 0, 4]','[4, 1, 1, 3]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/hearts-2-481bfc244216bb2b.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
INSERT INTO "attempts" VALUES('cup',4,1,'COMPLETED','[12, 27, 3, 24]','[2, 4, 1, 3]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/hearts-2-a9dd426564f9dcdf.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
INSERT INTO "attempts" VALUES('cup',5,1,'COMPLETED','[27, 1, 13, 19]','[4, 1, 2, 3]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[]','records/hearts-3-c72add94a2913cc0.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000,1);
CREATE TABLE checkpoints (
	tournament TEXT NOT NULL, 
	through INTEGER NOT NULL, 
	fingerprint TEXT NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (tournament), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
CREATE TABLE fairdeal_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT fairdeal_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "fairdeal_revision" VALUES('3');
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
INSERT INTO "issued" VALUES('cup',1,'hearts-1-8ba1450a07334c1e',1,'["e0", "e6", "e4", "e2"]','[null, null, null, null]',1);
INSERT INTO "issued" VALUES('cup',2,'hearts-1-b36f5a160af53aac',1,'["e3", "e7", "e5", "e1"]','[null, null, null, null]',1);
INSERT INTO "issued" VALUES('cup',3,'hearts-2-481bfc244216bb2b',2,'["e7", "e0", "e8", "e6"]','[null, null, null, null]',1);
INSERT INTO "issued" VALUES('cup',4,'hearts-2-a9dd426564f9dcdf',2,'["e2", "e3", "e1", "e4"]','[null, null, null, null]',1);
INSERT INTO "issued" VALUES('cup',5,'hearts-3-c72add94a2913cc0',3,'["e1", "e8", "e6", "e5"]','[null, null, null, null]',1);
INSERT INTO "issued" VALUES('cup',6,'hearts-3-effe121ab5e67568',3,'["e0", "e2", "e7", "e3"]','[null, null, null, null]',0);
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
INSERT INTO "registrations" VALUES('cup','e0',1,'{"name": "e0", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e1',1,'{"name": "e1", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e2',1,'{"name": "e2", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e3',1,'{"name": "e3", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e4',1,'{"name": "e4", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e5',1,'{"name": "e5", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e6',1,'{"name": "e6", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e7',1,'{"name": "e7", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
INSERT INTO "registrations" VALUES('cup','e8',1,'{"name": "e8", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-03-01T12:00:00+00:00');
CREATE TABLE roster (
	tournament TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	from_file BOOLEAN NOT NULL, supervisors_lost INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (tournament, name), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
INSERT INTO "roster" VALUES('cup','e0',1,'active',1,0);
INSERT INTO "roster" VALUES('cup','e1',2,'active',1,0);
INSERT INTO "roster" VALUES('cup','e2',3,'active',1,0);
INSERT INTO "roster" VALUES('cup','e3',4,'active',1,0);
INSERT INTO "roster" VALUES('cup','e4',5,'active',1,0);
INSERT INTO "roster" VALUES('cup','e5',6,'active',1,0);
INSERT INTO "roster" VALUES('cup','e6',7,'active',1,0);
INSERT INTO "roster" VALUES('cup','e7',8,'active',1,0);
INSERT INTO "roster" VALUES('cup','e8',9,'active',1,0);
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
INSERT INTO "tournaments" VALUES('cup','hearts','','{"name": "cup", "game": "hearts", "options": {"any_heart_breaks": false, "jack_of_diamonds": false, "max_deals": 60, "moon": "choose", "target": 100}, "match": "game", "rounds": 5, "concurrency": 8, "seed": "spring", "clock": {"move": 2000000, "bank": 60000000, "increment": 0, "lag": 100000, "lag_cap": 5000000, "start": 30000000}, "faults": {"substitute": true, "max_faults": 3}, "rating": {"mu": 25.0, "sigma": 8.333333333333334, "beta": 4.166666666666667, "tau": 0.08333333333333333, "draw_probability": null}, "entries": [{"name": "e0", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e1", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e2", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e3", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e4", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e5", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e6", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e7", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "e8", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}], "limits": {"frame_bytes": 32768, "unacknowledged_frames": 64, "unacknowledged_bytes": 262144, "queued_bytes": 262144, "sessions": 4096, "sessions_per_peer": 2048, "sessions_per_entry": 16, "tables_per_session": 256, "frames_per_second": 100, "answers_per_second": 100, "bytes_per_second": 262144, "calls_per_second": 100, "calls_per_peer": 64, "strangers_per_second": 100, "hellos_per_second": 20, "hellos_awaited": 1024, "hello_seconds": 10, "idle_seconds": 120, "heartbeat_seconds": 15, "keepalive_seconds": 5, "keepalive_timeout_seconds": 3, "handshake_seconds": 10, "connections": 0, "streams_per_connection": 64, "metadata_bytes": 8192}, "durability": "process", "format": "swiss", "partners": "mixed", "teams": [], "challenger": null, "registration": "closed", "hosting": {"restarts": 3, "restart_window": 600000000, "log_bytes": 1048576, "memory": null, "cpu_seconds": null, "open_files": null, "processes": null, "sandbox": "none", "keep": 60000000, "max_live": 64}, "remote": {"wait": 60000000, "no_show": "forfeit"}, "server": {"listen": "127.0.0.1:0", "certificate": null, "key": null, "client_ca": null, "insecure": false}}','spring','3b8cb41d0f6ee9648d08d17fd59e1bb3','created',1);
CREATE INDEX issued_open ON issued (tournament, serial) WHERE decided IS 0;
CREATE UNIQUE INDEX attempts_deciding ON attempts (tournament, serial) WHERE status IN ('COMPLETED', 'FORFEIT', 'SKIPPED') AND stands;
COMMIT;
