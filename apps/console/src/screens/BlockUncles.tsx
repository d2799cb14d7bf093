/** The uncles of a block. */
import type * as EthBlock from "@plumbline/eth-methods/model/Block"

import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { fixedBy, type ShownBlock } from "./ShownBlock.ts"

/** The section, or nothing if the block has no uncles. */
export const BlockUncles = ({
  shown: { block, proof, trust },
  uncles
}: {
  readonly shown: ShownBlock
  readonly uncles: ReadonlyArray<EthBlock.Uncle>
}) => {
  if (uncles.length === 0) return null
  const link = (index: number, field: string): string => proof({ _tag: "Item", list: "uncles", index, field })
  return (
    <section className="sheet">
      <header>
        <h2>
          Uncles{" "}
          <span>
            {uncles.length}, {fixedBy("sha3Uncles", "whole", trust !== undefined)}
          </span>
        </h2>
      </header>
      <VirtualTable
        label="Uncles of the block"
        total={uncles.length}
        figuresFrom={3}
        head={["#", "Hash", "Miner", "Number", "Age"]}
        row={(index) => {
          const { hash, miner, number } = uncles[index]!
          return [
            index,
            hash === null ? null : <Hash key="hash" hex={hash} link={{ href: link(index, "") }} />,
            miner === null ? null : <Hash key="miner" hex={miner} link={{ href: link(index, "miner") }} />,
            <a key="number" href={link(index, "number")}>
              {grouped(number ?? 0n)}
            </a>,
            `${count(block.number - (number ?? block.number), "block")} back`
          ]
        }}
      />
    </section>
  )
}
