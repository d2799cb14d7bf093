import { WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"
import { WebSocket } from "ws"

import * as WebSocketServer from "./support/webSocketServer.ts"
import { suite } from "./TransportSuite.ts"

for (const [name, webSocket] of Object.entries({ ws: WebSocket, platform: undefined })) {
  suite(
    `WebSocketTransport (${name})`,
    (handle) =>
      Layer.unwrap(
        Effect.map(
          // No answer at all is an empty message.
          WebSocketServer.dispatching((input) => Effect.map(handle(input), (bytes) => bytes ?? new Uint8Array())),
          ({ url }) => WebSocketTransport.layer({ url, webSocket })
        )
      ),
    { isShared: true }
  )
}
