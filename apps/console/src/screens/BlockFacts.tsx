/** The facts about a block. Each that the header holds leads to its proof. */
import * as Hex from "@plumbline/codec/hex/Hex"

import { count, ether, grouped, gwei, percent, printable } from "../look/TextFormats.ts"
import * as RlpFields from "../proof/RlpFields.ts"
import { Fact, Facts } from "./Facts.tsx"
import { Party } from "./Party.tsx"
import type { ShownBlock } from "./ShownBlock.ts"

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n

/** The card. `fields` are the bytes of the header. */
export const BlockFacts = ({
  fields,
  shown: { block, network, proof, trust },
  uncles
}: {
  readonly shown: ShownBlock
  readonly uncles: number
  readonly fields: Uint8Array
}) => {
  const { baseFeePerGas, blobGasUsed, extraData, gasLimit, gasUsed, hash, miner, transactions, withdrawals } = block
  const link = (field: string): string => proof({ _tag: "Header", field })
  const extra = printable(Hex.toBytesUnsafe(extraData))
  return (
    <section className="sheet" aria-label="Facts">
      <Facts>
        <Fact name="Transactions">{grouped(transactions.length)}</Fact>
        <Fact name="Gas used">
          <a href={link("gasUsed")}>{grouped(gasUsed)}</a>{" "}
          <span className="soft">
            {percent(gasUsed, gasLimit)} of {grouped(gasLimit)}
          </span>
        </Fact>
        {baseFeePerGas === undefined ? null : (
          <>
            <Fact name="Base fee">
              <a href={link("baseFeePerGas")}>{gwei(baseFeePerGas)}</a>
            </Fact>
            <Fact name="Burnt">
              {ether(baseFeePerGas * gasUsed)} <span className="soft">base fee × gas used</span>
            </Fact>
          </>
        )}
        {miner === null ? null : (
          <Fact name="Fee recipient">
            <Party network={network} address={miner} block={hash} trust={trust} />
          </Fact>
        )}
        {blobGasUsed === undefined ? null : (
          <Fact name="Blobs">
            <a href={link("blobGasUsed")}>{grouped(blobGasUsed / GAS_PER_BLOB)}</a>
          </Fact>
        )}
        {withdrawals === undefined ? null : (
          <Fact name="Withdrawals">
            <a href={link("withdrawalsRoot")}>{grouped(withdrawals.length)}</a>
          </Fact>
        )}
        <Fact name="Uncles">
          <a href={link("sha3Uncles")}>{uncles === 0 ? "none" : count(uncles, "uncle")}</a>
        </Fact>
        <Fact name="Form of the header">{RlpFields.forkOf(RlpFields.read("header", fields)?.length ?? 0)}</Fact>
        {extra === undefined ? null : (
          <Fact name="Extra data">
            <a href={link("extraData")}>
              <bdi>"{extra}"</bdi>
            </a>
          </Fact>
        )}
      </Facts>
    </section>
  )
}
