/** Transactions in the form in which `eth_sendRawTransaction` sends them to a node. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Result from "effect/Result"

/**
 * Returns the hash of a signed transaction: the Keccak-256 of its bytes. For a transaction that is sent together with
 * its blobs, the hash covers only the transaction (EIP-4844, "Networking"). Bytes that are not a transaction get a hash
 * too, which no node knows.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { SentTransaction } from "@plumbline/eth-methods"
 *
 * // the example of EIP-155
 * const sent = Hex.toBytesUnsafe(
 *   "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe" +
 *     "537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
 * )
 * SentTransaction.hash(sent) // => "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788"
 * ```
 */
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
