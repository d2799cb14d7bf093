/** The newest blocks as a list: number, age, transactions and verdict. */
import { useEffect } from "react"

import { Hash } from "../look/Hash.tsx"
import { SkeletonRows } from "../look/Skeleton.tsx"
import { Table, TableRow } from "../look/Table.tsx"
import { grouped, time } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { useNow } from "../look/useNow.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { span } from "../overview/numberFormats.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { RecordedChain } from "../parts/RecordedChain.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { keyOf, newest } from "./newestBlocks.ts"

/** Time between two reads, in milliseconds: the length of a slot. */
const EVERY = 12_000

/** The list. On the landing (`isShort`), it has few blocks and columns. */
export const NewestBlocks = ({
  isShort = false,
  network,
  trust
}: {
  readonly network: string
  readonly trust: string | undefined
  readonly isShort?: boolean
}) => {
  const atom = newest(keyOf(network, trust))
  const result = useAtom(atom)
  const now = useNow()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") registry.refresh(atom)
    }, EVERY)
    return () => clearInterval(timer)
  }, [atom])
  const rows = isShort ? SHORT : WHOLE
  return (
    <ReadState
      result={result}
      what={`the newest blocks of ${network}`}
      again={() => registry.refresh(atom)}
      waiting={<SkeletonRows rows={rows + 1} />}
    >
      {(blocks) => (
        <>
          <RecordedChain network={network} seconds={blocks[0]?.timestamp}>
            A recorded example chain, so its blocks are old.
          </RecordedChain>
          <Table
            className="newest"
            columns={[
              "Block",
              ...(isShort ? [] : ["Hash"]),
              { name: "Age", className: "soft time" },
              { name: isShort ? "Txs" : "Transactions", className: "end" },
              ...(isShort ? [] : [{ name: "Gas used", className: "end" }]),
              "Verdict"
            ]}
          >
            {blocks.slice(0, rows).map(({ gasUsed, hash, number, timestamp, transactions, verdict }) => (
              <TableRow
                key={hash}
                cells={[
                  <a key="block" href={ConsoleRoute.link({ _tag: "Block", network, block: String(number) }).href}>
                    {grouped(number)}
                  </a>,
                  ...(isShort
                    ? []
                    : [
                        <Hash key="hash" hex={hash} link={ConsoleRoute.link({ _tag: "Block", network, block: hash })} />
                      ]),
                  <span key="age" title={time(timestamp)}>
                    {span(now - Number(timestamp) * 1000)}
                  </span>,
                  transactions,
                  ...(isShort ? [] : [grouped(gasUsed)]),
                  <VerdictWord key="verdict" word={verdict} />
                ]}
              />
            ))}
          </Table>
        </>
      )}
    </ReadState>
  )
}

/** The number of rows on the landing, and on the screen of blocks. */
const SHORT = 8
const WHOLE = 12
