package io.github.fairdeal;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;

/** Makes the channels of one run, which share a thread of their own. */
final class Network implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000; // how long one attempt may take
    // servers end connections that ping more often than every five minutes, unless set otherwise
    private static final long KEEPALIVE_SECONDS = 310;
    private static final long KEEPALIVE_TIMEOUT_SECONDS = 10;
    private static final int MAX_MESSAGE_BYTES = 1 << 20;

    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("fairdeal-network", true), NioIoHandler.newFactory());

    /** Returns a channel to the referee, which is not dialled yet. */
    ManagedChannel channel(Settings settings) {
        NettyChannelBuilder builder;
        if (settings.isUnix()) {
            builder =
                    NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(settings.path()), credentials(settings))
                            .channelType(NioDomainSocketChannel.class)
                            .overrideAuthority("localhost");
        } else {
            builder =
                    NettyChannelBuilder.forAddress(settings.host(), settings.port(), credentials(settings))
                            .channelType(NioSocketChannel.class);
        }
        if (settings.isLoopback()) {
            builder.proxyDetector(address -> null);
        }
        return builder.eventLoopGroup(group)
                .directExecutor()
                .disableRetry()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .build();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private static ChannelCredentials credentials(Settings settings) {
        Tls tls = settings.tls();
        if (tls == null) {
            return InsecureChannelCredentials.create();
        }
        try {
            TlsChannelCredentials.Builder builder =
                    TlsChannelCredentials.newBuilder().trustManager(new ByteArrayInputStream(tls.ca()));
            if (tls.cert() != null) {
                builder.keyManager(new ByteArrayInputStream(tls.cert()), new ByteArrayInputStream(tls.key()));
            }
            return builder.build();
        } catch (IOException error) {
            throw new AssertionError("the certificates were read before", error);
        }
    }
}
