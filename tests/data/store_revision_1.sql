BEGIN TRANSACTION;
CREATE TABLE matches (
	serial INTEGER NOT NULL, 
	match_id TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	seats JSON NOT NULL, 
	PRIMARY KEY (serial), 
	UNIQUE (match_id)
);
INSERT INTO "matches" VALUES(1,'two_handed_spades-1-032fcb8526075c03',1,'["cid", "ben"]');
INSERT INTO "matches" VALUES(2,'two_handed_spades-1-37272c4d72f012e2',1,'["cid", "ann"]');
INSERT INTO "matches" VALUES(3,'two_handed_spades-1-77836cc184748081',1,'["ben", "ann"]');
INSERT INTO "matches" VALUES(4,'two_handed_spades-2-7d9cdfbfef1107fb',2,'["ben", "cid"]');
INSERT INTO "matches" VALUES(5,'two_handed_spades-2-0e16bbe339cd542a',2,'["ann", "cid"]');
INSERT INTO "matches" VALUES(6,'two_handed_spades-2-e9a60aa0942604e0',2,'["ann", "ben"]');
CREATE TABLE results (
	match_id TEXT NOT NULL, 
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
	PRIMARY KEY (match_id, attempt), 
	FOREIGN KEY(match_id) REFERENCES matches (match_id)
);
INSERT INTO "results" VALUES('two_handed_spades-1-032fcb8526075c03',1,'COMPLETED','[302, -41]','[1, 2]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[{"answered": 12, "total": 3000001, "longest": 2000000}, {"answered": 9, "total": 8, "longest": 7}]','records/two_handed_spades-1-032fcb8526075c03.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000);
INSERT INTO "results" VALUES('two_handed_spades-1-77836cc184748081',1,'VOID','[]','[]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[{"answered": 12, "total": 3000001, "longest": 2000000}, {"answered": 9, "total": 8, "longest": 7}]','records/two_handed_spades-1-77836cc184748081.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000);
INSERT INTO "results" VALUES('two_handed_spades-1-77836cc184748081',2,'FORFEIT','[10, 20]','[2, 1]',0,'[{"malformed": 1, "illegal": 0, "disconnected": 0, "late": 2, "sessions_lost": 3}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[0]','[{"answered": 12, "total": 3000001, "longest": 2000000}, {"answered": 9, "total": 8, "longest": 7}]','records/two_handed_spades-1-77836cc184748081.2.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000);
INSERT INTO "results" VALUES('two_handed_spades-2-7d9cdfbfef1107fb',1,'CANCELLED','[5, 6]','[]',0,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[{"answered": 12, "total": 3000001, "longest": 2000000}, {"answered": 9, "total": 8, "longest": 7}]','records/two_handed_spades-2-7d9cdfbfef1107fb.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000);
INSERT INTO "results" VALUES('two_handed_spades-2-0e16bbe339cd542a',1,'COMPLETED','[100, 100]','[1, 1]',1,'[{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}, {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}]','[]','[{"answered": 12, "total": 3000001, "longest": 2000000}, {"answered": 9, "total": 8, "longest": 7}]','records/two_handed_spades-2-0e16bbe339cd542a.1.jsonl.gz','abababababababababababababababababababababababababababababababab','2026-03-01T12:00:00+00:00',1500000);
CREATE TABLE tournament (
	name TEXT NOT NULL, 
	format INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	"plan" JSON NOT NULL, 
	seed TEXT, 
	bot_seed TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "tournament" VALUES('cup',2,'two_handed_spades','99009e47f1725cde16cf8bd7b46e25274f34474ea2ef4033e096191970d6b04b','{"name": "cup", "game": "two_handed_spades", "options": {"target": 300, "nil_points": 100, "bag_limit": 10, "bag_penalty": 100, "failed_nil_tricks": "bags_and_points", "max_deals": 30}, "match": "game", "rounds": 2, "concurrency": 8, "seed": null, "clock": {"move": 2000000, "bank": 60000000, "increment": 0, "lag": 100000, "lag_cap": 5000000, "start": 30000000}, "faults": {"substitute": true, "max_faults": 3}, "rating": {"mu": 25.0, "sigma": 8.333333333333334, "beta": 4.166666666666667, "tau": 0.08333333333333333, "draw_probability": 0.1}, "entries": [{"name": "ann", "version": "1.0", "bot": "greedy", "arguments": [], "command": null}, {"name": "ben", "version": null, "bot": "random", "arguments": [], "command": null}, {"name": "cid", "version": null, "bot": null, "arguments": [], "command": ["python3", "cid.py", "--slow"]}], "limits": {"frame_bytes": 32768, "unacknowledged_frames": 64, "unacknowledged_bytes": 262144, "queued_bytes": 262144, "sessions": 4096, "sessions_per_peer": 2048, "sessions_per_entry": 16, "tables_per_session": 256, "frames_per_second": 100, "answers_per_second": 100, "calls_per_second": 100, "calls_per_peer": 64, "hellos_per_second": 20, "hellos_awaited": 1024, "hello_seconds": 10, "idle_seconds": 120, "heartbeat_seconds": 15, "keepalive_seconds": 5, "keepalive_timeout_seconds": 3, "handshake_seconds": 10, "connections": 8192, "streams_per_connection": 64, "metadata_bytes": 8192}, "durability": "process"}',NULL,'1617345538fff41ec9d397bad5c34579');
COMMIT;
