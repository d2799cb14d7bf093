/**
 * Recognises blocks of consensus engines whose block hash is not the Keccak-256 of Ethereum's header.
 *
 * A lie can have the same form. So the form proves nothing, but a node that shows it may be honest although the hash does
 * not fit. Clique is not listed, because its blocks hash by Ethereum's rule.
 *
 * Sources: Besu and GoQuorum (IBFT, QBFT), OpenEthereum (AuRa), coreth (Avalanche), XDPoSChain, Kaia, Celo.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import { fieldOf } from "@plumbline/codec/wire/WireObject"

import type * as Block from "../model/Block.ts"

/** The mixHash of IBFT 1, IBFT 2.0 and QBFT. Their hashes leave out the seals in extraData. */
const ISTANBUL = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"

/** Fields that only headers of one engine have. The hash of such a header covers them. */
const fields: ReadonlyArray<readonly [field: string, engine: string]> = [
  ["extDataHash", "Avalanche"],
  ["penalties", "XDPoS"],
  ["governanceData", "Kaia"],
  ["epochSnarkData", "Celo"]
]

/** Maximum number of bytes of extraData on Ethereum (Yellow Paper, section 4.4.4). */
const MAX_EXTRA_DATA = 32

/** Returns the name of the consensus engine that the header's form shows; undefined for a header of Ethereum's form. */
export const engineOf = (header: Block.Header): string | undefined => {
  const { extraData, mixHash } = header
  if (mixHash != null && Hex.equals(mixHash, ISTANBUL)) return "IBFT or QBFT"
  if (mixHash == null && fieldOf(header, "step") != null && fieldOf(header, "signature") != null) return "AuRa"
  const found = fields.find(([field]) => fieldOf(header, field) != null)
  if (found !== undefined) return found[1]
  return extraData.length > 2 + 2 * MAX_EXTRA_DATA ? "a proof of authority" : undefined
}
