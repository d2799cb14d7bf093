/** The fields of a block's header beside their bytes. */
import { grouped, percent } from "../look/TextFormats.ts"
import * as RlpFields from "../proof/RlpFields.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { FieldBytes } from "./FieldBytes.tsx"
import type { ShownBlock } from "./ShownBlock.ts"

/** The section. `isOwnHash` is true if the reader trusts the hash of this very block. */
export const BlockHeader = ({
  bytes,
  isOwnHash,
  shown: { block, network, proof, trust }
}: {
  readonly shown: ShownBlock
  readonly bytes: Uint8Array
  readonly isOwnHash: boolean
}) => {
  const { gasLimit, gasUsed, hash, number, parentHash } = block
  return (
    <FieldBytes
      title={
        <>
          Header <span>{RlpFields.forkOf(RlpFields.read("header", bytes)?.length ?? 0)}</span>
        </>
      }
      form="header"
      bytes={bytes}
      expected={hash}
      expectedName={isOwnHash ? "your hash" : "the hash of the block"}
      linkOf={(field) => proof({ _tag: "Header", field })}
      // oxlint-disable-next-line react/no-unstable-nested-components
      beside={({ name }) =>
        name === "parentHash" && number > 0n ? (
          <a
            className="also"
            href={
              ConsoleRoute.link({
                _tag: "Block",
                network,
                block: parentHash,
                trust: trust === undefined ? undefined : parentHash
              }).href
            }
          >
            block {grouped(number - 1n)}
          </a>
        ) : name === "gasUsed" ? (
          <span className="also">{percent(gasUsed, gasLimit)} of the limit</span>
        ) : null
      }
    />
  )
}
