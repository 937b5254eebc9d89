BEGIN TRANSACTION;
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
	PRIMARY KEY (tournament, serial, attempt), 
	FOREIGN KEY(tournament, serial) REFERENCES issued (tournament, serial)
);
INSERT INTO "attempts" VALUES('cup',1,1,'COMPLETED','[15, 62]','[2, 1]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[{"answered": 32, "total": 38430, "longest": 5418}, {"answered": 33, "total": 39984, "longest": 2331}]','records/piquet-1-2472863e810a1cd4.1.jsonl.gz','1642b55fff4b62403d21a7bfba65268c0645d3e58b512dbcde58694d8c88bdd2','2026-11-23T00:07:15+00:00',81300);
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
INSERT INTO "fairdeal_revision" VALUES('2');
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
INSERT INTO "issued" VALUES('cup',1,'piquet-1-2472863e810a1cd4',1,'["random", "greedy"]','[null, null]',1);
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
INSERT INTO "registrations" VALUES('cup','greedy',1,'{"name": "greedy", "version": null, "bot": "greedy", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-11-23T00:07:14+00:00');
INSERT INTO "registrations" VALUES('cup','random',1,'{"name": "random", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}',1,'2026-11-23T00:07:14+00:00');
CREATE TABLE roster (
	tournament TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	from_file BOOLEAN NOT NULL, 
	PRIMARY KEY (tournament, name), 
	FOREIGN KEY(tournament) REFERENCES tournaments (tournament)
);
INSERT INTO "roster" VALUES('cup','greedy',1,'active',1);
INSERT INTO "roster" VALUES('cup','random',2,'active',1);
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
INSERT INTO "tournaments" VALUES('cup','piquet','52d4463543b2494d673bfacdb676e7cc7021b77056bf917c4a927960edd945a1','{"name": "cup", "game": "piquet", "options": {"rubicon": 50}, "match": {"deals": 2}, "rounds": 1, "concurrency": 1, "seed": "kept", "clock": {"move": 2000000, "bank": 60000000, "increment": 0, "lag": 100000, "lag_cap": 5000000, "start": 30000000}, "faults": {"substitute": true, "max_faults": 3}, "rating": {"mu": 25.0, "sigma": 8.333333333333334, "beta": 4.166666666666667, "tau": 0.08333333333333333, "draw_probability": null}, "entries": [{"name": "greedy", "version": null, "bot": "greedy", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}, {"name": "random", "version": null, "bot": "random", "arguments": [], "command": null, "remote": false, "strength": null, "hosting": null}], "limits": {"frame_bytes": 32768, "unacknowledged_frames": 64, "unacknowledged_bytes": 262144, "queued_bytes": 262144, "sessions": 4096, "sessions_per_peer": 2048, "sessions_per_entry": 16, "tables_per_session": 256, "frames_per_second": 100, "answers_per_second": 100, "calls_per_second": 100, "calls_per_peer": 64, "hellos_per_second": 20, "hellos_awaited": 1024, "hello_seconds": 10, "idle_seconds": 120, "heartbeat_seconds": 15, "keepalive_seconds": 5, "keepalive_timeout_seconds": 3, "handshake_seconds": 10, "connections": 8192, "streams_per_connection": 64, "metadata_bytes": 8192}, "durability": "process", "format": "round_robin", "partners": "mixed", "teams": [], "challenger": null, "registration": "closed", "hosting": {"restarts": 3, "restart_window": 600000000, "log_bytes": 1048576, "memory": null, "cpu_seconds": null, "open_files": null, "processes": null, "sandbox": "none"}, "remote": {"wait": 60000000, "no_show": "forfeit"}, "server": {"listen": "127.0.0.1:0", "certificate": null, "key": null, "client_ca": null, "insecure": false}}','kept','0e11c941f9b4c169505027de1ac316ad','finished',1);
CREATE INDEX issued_open ON issued (tournament, serial) WHERE decided IS 0;
CREATE UNIQUE INDEX attempts_deciding ON attempts (tournament, serial) WHERE status IN ('COMPLETED', 'FORFEIT', 'SKIPPED');
COMMIT;
