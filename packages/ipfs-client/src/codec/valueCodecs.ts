/** The codecs that read and write values, by their names. Each works in steps. */
import * as Result from "effect/Result"

import type { Steps } from "../work/steps.ts"
import type { Flaw } from "./blockBounds.ts"
import * as DagCbor from "./dagCbor.ts"
import * as DagJson from "./dagJson.ts"
import * as DagJsonWriter from "./dagJsonWriter.ts"
import * as DagPbValue from "./dagPbValue.ts"

/** The name of a codec for reading and writing values. */
export type ValueCodecName = "dag-cbor" | "dag-json" | "dag-pb" | "raw"

interface Codec {
  readonly decode: (bytes: Uint8Array) => Steps<Result.Result<unknown, Flaw>>
  readonly encode: (value: unknown) => Steps<Result.Result<Uint8Array, string>>
}

export const CODECS: Readonly<Record<ValueCodecName, Codec>> = {
  "dag-cbor": { decode: DagCbor.decodeSteps, encode: DagCbor.encodeSteps },
  "dag-json": { decode: DagJson.decodeSteps, encode: DagJsonWriter.encodeSteps },
  "dag-pb": { decode: DagPbValue.decode, encode: DagPbValue.encode },
  raw: {
    *decode(bytes) {
      return Result.succeed(bytes)
    },
    *encode(value) {
      return value instanceof Uint8Array ? Result.succeed(value) : Result.fail("only bytes can be raw")
    }
  }
}
