/** The uncles of a block. */
import type * as EthBlock from "@plumbline/eth-methods/model/Block"

import { Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import type { ShownBlock } from "./ShownBlock.ts"

/** The section, or nothing if the block has no uncles. */
export const BlockUncles = ({
  shown: { block, proof },
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
          Uncles <span>{uncles.length}, proven whole by sha3Uncles</span>
        </h2>
      </header>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>#</th>
              <th>Hash</th>
              <th className="end">Number</th>
              <th>Miner</th>
              <th className="end">Age</th>
            </tr>
          </thead>
          <tbody>
            {uncles.map(({ hash, miner, number }, i) => (
              <tr key={hash}>
                <td>{i}</td>
                <td>{hash === null ? null : <Hash hex={hash} link={{ href: link(i, "") }} />}</td>
                <td className="end">
                  <a href={link(i, "number")}>{grouped(number ?? 0n)}</a>
                </td>
                <td>{miner === null ? null : <Hash hex={miner} link={{ href: link(i, "miner") }} />}</td>
                <td className="end">{count(block.number - (number ?? block.number), "block")} back</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
