/** A transport of packets to an endpoint, whatever brings them there. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as PacketTransport from "../transport/packetTransport.ts"
import type { Transport } from "../transport/Transport.ts"
import * as HttpTarget from "./target.ts"

/** An endpoint that is wrong fails each call, before anything is sent. */
export const make = (
  endpoint: HttpTarget.Endpoint,
  exchangeWith: (target: HttpTarget.Target) => PacketTransport.Carrier["exchange"]
): Transport["Service"] => {
  const target = Result.filterOrFail(HttpTarget.make(endpoint), isHttp, HttpTarget.invalidUrl)
  return PacketTransport.make(
    Result.isSuccess(target)
      ? { exchange: exchangeWith(target.success), redact: target.success.redact }
      : { exchange: () => Effect.fail(target.failure), redact: (text) => text }
  )
}

/** A relative URL is for the platform to judge. */
const isHttp = ({ parts }: HttpTarget.Target): boolean =>
  parts === undefined || parts.protocol === "http:" || parts.protocol === "https:"
