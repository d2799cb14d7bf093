/**
 * Writes and reads the block that keeps a call: a raw block with JSON, which begins with the hash of the chain's block
 * that the call is about. The text has one form, so the same call has the same hash.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { BundleCall } from "./BundleCall.ts"

/** Maximum number of characters of a signature. */
const MAX_SIGNATURE = 2048

/** Maximum number of addresses and keys in an access list, of authorizations and of blobs, together. */
const MAX_ITEMS = 4096

/** Returns the bytes of the block that keeps a call about this block of the chain. */
export const encode = (blockHash: Hash32.Hash32, { request, rules, signature }: BundleCall): Uint8Array => {
  const { accessList, authorizationList, blobVersionedHashes, data, input = data } = request
  const { blobUpdateFraction, chainId, hardfork } = rules
  return new TextEncoder().encode(
    JSON.stringify({
      block: blockHash,
      chainId: Quantity.toHex(chainId),
      hardfork,
      blobUpdateFraction: quantity(blobUpdateFraction),
      request: {
        from: lower(request.from),
        to: lower(request.to),
        input: lower(input),
        value: quantity(request.value),
        gas: quantity(request.gas),
        gasPrice: quantity(request.gasPrice),
        maxFeePerGas: quantity(request.maxFeePerGas),
        maxPriorityFeePerGas: quantity(request.maxPriorityFeePerGas),
        accessList: accessList?.map(({ address, storageKeys }) => ({
          address: lower(address),
          storageKeys: storageKeys.map(lower)
        })),
        authorizationList: authorizationList?.map(({ address, chainId, nonce, r, s, yParity }) => ({
          chainId: quantity(chainId),
          address: lower(address),
          nonce: quantity(nonce),
          yParity: quantity(yParity),
          r: lower(r),
          s: lower(s)
        })),
        maxFeePerBlobGas: quantity(request.maxFeePerBlobGas),
        blobVersionedHashes: blobVersionedHashes?.map(lower)
      },
      signature
    })
  )
}

/** Returns the call in a block; undefined if the block is none that `encode` writes for this block of the chain. */
export const decode = (blockHash: Hash32.Hash32, bytes: Uint8Array): BundleCall | undefined => {
  const start = new TextEncoder().encode(`{"block":"${blockHash}",`)
  if (!Bytes.equals(bytes.subarray(0, start.length), start) || openings(bytes) > MAX_OPENINGS) return undefined
  const parsed = Result.try(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown)
  if (Result.isFailure(parsed) || !isShort(parsed.success)) return undefined
  const text = decodeText(parsed.success)
  if (Result.isFailure(text)) return undefined
  const { blobUpdateFraction, chainId, hardfork, request, signature } = text.success
  const call: BundleCall = { request, rules: { chainId, hardfork, blobUpdateFraction }, signature }
  return Bytes.equals(encode(blockHash, call), bytes) ? call : undefined
}

/** Maximum number of brackets that open lists and objects, in the lists' items and in the signature. */
const MAX_OPENINGS = 2 * MAX_ITEMS + MAX_SIGNATURE

/** Counts the brackets: a parser spends long on lists that are in each other. */
const openings = (bytes: Uint8Array): number => {
  let count = 0
  for (const byte of bytes) if (byte === 0x5b || byte === 0x7b) count += 1
  return count
}

const lower = (text: string | null | undefined): string | undefined => text?.toLowerCase()

const quantity = (number: bigint | undefined): string | undefined =>
  number === undefined ? undefined : Quantity.toHex(number)

const Uint64 = /* @__PURE__ */ Quantity.Quantity.check(/* @__PURE__ */ Schema.isLessThanOrEqualToBigInt(2n ** 64n - 1n))

const decodeText = /* @__PURE__ */ Schema.decodeUnknownResult(
  Schema.Struct({
    chainId: Uint64,
    hardfork: Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9]{1,32}$/u)),
    // the price of blobs is divided by it
    blobUpdateFraction: Schema.optionalKey(Uint64.check(Schema.isGreaterThanBigInt(0n))),
    request: CallRequest.CallRequest,
    signature: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(MAX_SIGNATURE)))
  })
)

/** True if the lists of a request are short enough to be decoded in one turn. */
const isShort = (text: unknown): boolean => {
  const { request } = text as { readonly request?: Readonly<Record<string, unknown>> | null }
  const lists = LISTS.map((name): ReadonlyArray<unknown> => listIn(request, name))
  const keys = lists.flatMap((list) => list.slice(0, MAX_ITEMS).map((entry) => listIn(entry, "storageKeys")))
  return [...lists, ...keys].reduce((sum, { length }) => sum + length, 0) <= MAX_ITEMS
}

const listIn = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const list = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : []
  return Array.isArray(list) ? list : []
}

const LISTS = ["accessList", "authorizationList", "blobVersionedHashes"]
