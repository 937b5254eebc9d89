"""A bot at the level of frames, without the SDK's care: raw.py illegal | malformed | leave | stay.

`illegal` and `malformed` answer so; `leave` closes its stream once it is asked, and lives on; `stay` says
that it wants one match, and stays when it is over.
"""

import os
import queue
import signal
import sys

import grpc

from fairdeal.v1 import play_service_pb2 as pb

behaviour = sys.argv[1]
requests: queue.SimpleQueue[pb.PlayRequest] = queue.SimpleQueue()
channel = grpc.insecure_channel(os.environ["FAIRDEAL_ADDRESS"])
play = channel.stream_stream(
    "/fairdeal.v1.PlayService/Play", pb.PlayRequest.SerializeToString, pb.PlayResponse.FromString
)
hello = pb.Hello(
    versions=[1], entry=os.environ["FAIRDEAL_ENTRY"], tables=8, matches=1 if behaviour == "stay" else 0
)
requests.put(pb.PlayRequest(hello=hello))
token = os.environ["FAIRDEAL_TOKEN"]
call = play(iter(requests.get, None), metadata=(("authorization", f"Bearer {token}"),))
for received, response in enumerate(call, 1):
    request = pb.PlayRequest(frames_received=received)
    for update in response.updates:
        if update.HasField("seated"):
            request.ready.add(match_id=update.seated.match_id)
        if update.HasField("decision"):
            answer = request.answers.add(
                match_id=update.decision.match_id, decision_id=update.decision.decision_id
            )
            if behaviour == "leave":
                sys.stderr.write("goodbye\n")
                channel.close()
                signal.pause()
            elif behaviour == "illegal":
                answer.index = 1000
            elif behaviour == "stay":
                answer.index = 0
    requests.put(request)
