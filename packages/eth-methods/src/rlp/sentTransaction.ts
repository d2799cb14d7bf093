/** Transactions as they are handed in to a node. */
import type * as Hash32 from "@plumbline/codec/Hash32"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Rlp from "@plumbline/codec/Rlp"
import * as Result from "effect/Result"

/** The hash of a transaction as it is handed in: one with blobs travels in a form that its hash is not of (EIP-4844). */
export const hash = (sent: Uint8Array): Hash32.Hash32 => {
  const form = sent[0] === BLOB ? Rlp.decode(sent.subarray(1)) : undefined
  const body =
    form !== undefined && Result.isSuccess(form) && !(form.success instanceof Uint8Array) ? form.success[0] : undefined
  if (body === undefined || body instanceof Uint8Array) return Keccak256.hashHex(sent)
  const encoded = Rlp.encode(body)
  const typed = new Uint8Array(1 + encoded.length)
  typed[0] = BLOB
  typed.set(encoded, 1)
  return Keccak256.hashHex(typed)
}

const BLOB = 3
