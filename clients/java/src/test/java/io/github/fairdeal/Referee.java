package io.github.fairdeal;

import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.PlayServiceGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server whose sessions a test plays by hand. */
final class Referee implements AutoCloseable {
    private static final Context.Key<String> AUTHORIZATION = Context.key("authorization");
    private static final long PATIENCE_SECONDS = 20;

    private final BlockingQueue<Session> sessions = new LinkedBlockingQueue<>();
    private final Server server;

    Referee() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(ServerInterceptors.intercept(new Service(), new Authorization()))
                        .build()
                        .start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Returns the next session that a bot opens. */
    Session next() throws InterruptedException {
        return taken(sessions);
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private static <T> T taken(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (taken == null) {
            throw new AssertionError("nothing comes from the bot");
        }
        return taken;
    }

    /** One session. */
    static final class Session implements StreamObserver<PlayRequest> {
        private final BlockingQueue<PlayRequest> requests = new LinkedBlockingQueue<>();
        private final StreamObserver<PlayResponse> responses;
        private final String authorization = AUTHORIZATION.get();

        private Session(StreamObserver<PlayResponse> responses) {
            this.responses = responses;
        }

        String authorization() {
            return authorization;
        }

        /** Returns the next frame of the bot's. */
        PlayRequest read() throws InterruptedException {
            return taken(requests);
        }

        void write(PlayResponse frame) {
            responses.onNext(frame);
        }

        void end() {
            responses.onCompleted();
        }

        void abort(Status status, Metadata trailers) {
            responses.onError(status.asRuntimeException(trailers));
        }

        @Override
        public void onNext(PlayRequest request) {
            requests.add(request);
        }

        @Override
        public void onError(Throwable error) {
            // the bot has gone; what it said before is there to be read
        }

        @Override
        public void onCompleted() {
            // the test ends the stream
        }
    }

    private final class Service extends PlayServiceGrpc.PlayServiceImplBase {
        @Override
        public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> responses) {
            Session session = new Session(responses);
            sessions.add(session);
            return session;
        }
    }

    private static final class Authorization implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            String token = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
            return Contexts.interceptCall(
                    Context.current().withValue(AUTHORIZATION, token), call, headers, next);
        }
    }
}
