/**
 * The output root: the 32 bytes by which contracts of L1 name a block of a rollup and its state.
 *
 * Source: OP-stack specifications, proposals, "L2 output commitment construction".
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** The parts of an output root. */
export interface OutputParts {
  readonly stateRoot: Hash32.Hash32
  /** The storage root of the message passer, `0x4200000000000000000000000000000000000016`. */
  readonly messagePasserRoot: Hash32.Hash32
  readonly blockHash: Hash32.Hash32
}

/** The address of the message passer, whose storage root is part of the output. */
export const MESSAGE_PASSER = "0x4200000000000000000000000000000000000016"

/**
 * Returns the output root of version 0: the Keccak-256 of 32 zero bytes, the state root, the storage root of the message
 * passer and the hash of the block.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { OutputRoot } from "@plumbline/op-stack"
 *
 * // block 16491349 of OP Sepolia
 * const root = OutputRoot.of({
 *   stateRoot: Hash32.fromHexUnsafe("0xd49c08c005dec63adf4afa769f9dbf2f743da7b89013a2733b766ab8cea0ad02"),
 *   messagePasserRoot: Hash32.fromHexUnsafe("0xa24863cd20f2bdef1cd1e464594a7b82794da85abdcfb80da3bba930712f057e"),
 *   blockHash: Hash32.fromHexUnsafe("0x9f40c2787db52f33b14e16d63cb26f4fc3a96f9a18693400faaf3e1be5377d36")
 * })
 * root // => "0x6984e5ae4d025562c8a571949b985692d80e364ddab46d5c8af5b36a20f611d1"
 * ```
 */
export const of = ({ blockHash, messagePasserRoot, stateRoot }: OutputParts): Hash32.Hash32 =>
  Keccak256.hashHex(
    Bytes.concat(
      new Uint8Array(32),
      Hash32.toBytes(stateRoot),
      Hash32.toBytes(messagePasserRoot),
      Hash32.toBytes(blockHash)
    )
  )
