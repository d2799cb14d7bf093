/** A transport that sends packets to an endpoint, over any HTTP client. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Bound from "../transport/bound.ts"
import * as PacketTransport from "../transport/packetTransport.ts"
import type { Transport } from "../transport/Transport.ts"
import * as HttpEndpoint from "./httpEndpoint.ts"

/** Makes the transport. If the endpoint is invalid, each call fails before anything is sent. */
export const make = (
  endpoint: HttpEndpoint.HttpEndpoint,
  exchangeWith: (target: HttpEndpoint.ResolvedHttpEndpoint) => PacketTransport.PacketCarrier["exchange"]
): Transport["Service"] => {
  const target = Result.filterOrFail(HttpEndpoint.make(endpoint), isHttp, HttpEndpoint.invalidUrl)
  return Result.isSuccess(target)
    ? Bound.bounded(
        PacketTransport.make({ exchange: exchangeWith(target.success), redact: target.success.redact }),
        target.success.timeout
      )
    : PacketTransport.make({ exchange: () => Effect.fail(target.failure), redact: (text) => text })
}

/** True for an HTTP URL. A relative URL passes, because only the platform can judge it. */
const isHttp = ({ parts }: HttpEndpoint.ResolvedHttpEndpoint): boolean =>
  parts === undefined || parts.protocol === "http:" || parts.protocol === "https:"
