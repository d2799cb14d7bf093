import { WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"
import { WebSocket } from "ws"

import * as SubscriptionSuite from "../support/SubscriptionSuite.ts"
import { suite } from "../support/TransportSuite.ts"
import * as WebSocketServer from "../support/webSocketServer.ts"

for (const [name, webSocket] of Object.entries({ ws: WebSocket, platform: undefined })) {
  const title = `WebSocketTransport (${name})`

  suite(
    title,
    (server) =>
      Layer.unwrap(
        Effect.map(WebSocketServer.connecting(server), ({ url }) => WebSocketTransport.layer({ url, webSocket }))
      ),
    { isShared: true }
  )

  SubscriptionSuite.suite(
    title,
    (server, { buffer, overflow, ...ofServer }) =>
      Layer.unwrap(
        Effect.map(WebSocketServer.connecting(server, ofServer), ({ url }) =>
          WebSocketTransport.layer({
            url,
            webSocket,
            buffer,
            overflow,
            heartbeat: false,
            ...SubscriptionSuite.patience
          })
        )
      ),
    { canWait: webSocket !== undefined }
  )
}
