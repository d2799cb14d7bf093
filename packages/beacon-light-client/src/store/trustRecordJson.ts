/** The JSON in a record of trust. */
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import * as wire from "../network/networkJson.ts"

const Signed = {
  signed: Schema.Natural,
  of: Schema.Natural,
  attestedSlot: Schema.BigIntFromString,
  /**
   * One bit for each seat of the committee: 1 if its member signed. A record of form 2 has no bits, so its heads have
   * no bits either.
   */
  bits: Schema.optional(PlainHex.schema())
}

const Family = Schema.Literals(["altair", "capella", "deneb", "electra", "gloas"])

const RecordedHead = Schema.Struct({
  fork: Family,
  header: Schema.Unknown,
  support: Schema.Union([
    Schema.TaggedStruct("Checkpoint", {}),
    Schema.TaggedStruct("Finalized", Signed),
    Schema.TaggedStruct("Optimistic", Signed),
    Schema.TaggedStruct("Forced", Signed)
  ])
})

/** A head: the fork of its container, the header as the beacon API writes it, and its support. */
export type RecordedHead = typeof RecordedHead.Type

const TrustRecordJson = Schema.fromJsonString(
  Schema.Struct({
    network: Schema.String,
    genesisValidatorsRoot: wire.root,
    checkpoint: wire.root,
    givenAt: Schema.Finite,
    advancedAt: Schema.Finite,
    finalized: RecordedHead,
    optimistic: RecordedHead,
    previousMaxParticipants: Schema.Natural,
    currentMaxParticipants: Schema.Natural,
    hasNext: Schema.Boolean,
    best: Schema.optionalKey(Family)
  })
)

/** The JSON of a record, decoded. */
export type TrustRecordJson = typeof TrustRecordJson.Type

const encodeMeta = /* @__PURE__ */ Schema.encodeSync(TrustRecordJson)
const decodeMeta = /* @__PURE__ */ Schema.decodeUnknownOption(TrustRecordJson)

/** Returns the JSON as bytes. */
export const encode = (meta: TrustRecordJson): Uint8Array => new TextEncoder().encode(encodeMeta(meta))

/** Reads the JSON. Returns undefined if the bytes are not JSON of this form. */
export const decode = (bytes: Uint8Array): TrustRecordJson | undefined =>
  Option.getOrUndefined(decodeMeta(new TextDecoder().decode(bytes)))
