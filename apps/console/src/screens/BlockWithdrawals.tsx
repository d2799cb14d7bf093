/** The withdrawals of a block: ether that validators took from the beacon chain (EIP-4895). */
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Hash } from "../look/Hash.tsx"
import { ether } from "../look/TextFormats.ts"
import { fixedBy, type ShownBlock } from "./ShownBlock.ts"

/** Wei of one gwei, in which a withdrawal counts. */
const GWEI = 10n ** 9n

/** The section, or nothing if the block has no withdrawals. */
export const BlockWithdrawals = ({ shown: { account, block, proof, trust } }: { readonly shown: ShownBlock }) => {
  const { withdrawals = [] } = block
  if (withdrawals.length === 0) return null
  return (
    <section className="sheet">
      <header>
        <h2>
          Withdrawals{" "}
          <span>
            {withdrawals.length}, {fixedBy("withdrawalsRoot", "in order", trust !== undefined)}
          </span>
        </h2>
      </header>
      <VirtualTable
        label="Withdrawals of the block"
        total={withdrawals.length}
        figuresFrom={3}
        head={["#", "Validator", "To", "Amount"]}
        row={(index) => {
          const { address, amount, validatorIndex } = withdrawals[index]!
          return [
            index,
            String(validatorIndex),
            <Hash key="to" hex={address} link={account(address)} />,
            <a key="amount" href={proof({ _tag: "Item", list: "withdrawals", index, field: "amount" })}>
              {ether(amount * GWEI)}
            </a>
          ]
        }}
      />
    </section>
  )
}
