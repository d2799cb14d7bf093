/** The signed part of a transaction: sender, recipient, value and call. The transaction's hash covers all of it. */
import { lazy, Suspense } from "react"

import { ether, grouped } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { Fact, Facts } from "./Facts.tsx"
import { Party } from "./Party.tsx"
import type { ShownTransaction } from "./ShownTransaction.ts"

const DecodedCall = lazy(() => import("../contract/DecodedCall.tsx"))

const TYPES: Readonly<Record<string, string>> = {
  0: "legacy",
  1: "with an access list",
  2: "dynamic fee",
  3: "with blobs",
  4: "sets code of accounts",
  126: "deposit of the OP stack"
}

/** The card. */
export const TransactionSigned = ({ shown }: { readonly shown: ShownTransaction }) => {
  const { decoding, item, network, transaction, trust, word } = shown
  const { blockHash, from, input, nonce, to, type = 0n, value } = transaction
  const block = blockHash ?? "latest"
  const link = (field: string): string | undefined => (blockHash === null ? undefined : item("transactions", field))
  return (
    <section className="sheet" data-part="signed">
      <header>
        <h2>Signed</h2>
        <div>
          <VerdictWord word={word} />
        </div>
      </header>
      <Facts>
        <Fact name="From">
          <Party network={network} address={from} block={block} trust={trust} />
        </Fact>
        <Fact name="To">
          {to === null ? "a new contract" : <Party network={network} address={to} block={block} trust={trust} />}
        </Fact>
        <Fact name="Value">
          <a href={link("value")}>{ether(value)}</a>
        </Fact>
        <Fact name="Nonce">
          <a href={link("nonce")}>{String(nonce)}</a>
        </Fact>
        <Fact name="Type">
          {Number(type)} <span className="soft">{TYPES[String(type)]}</span>
        </Fact>
        {input === "0x" ? null : (
          <Fact name={to === null ? "Code of the new contract" : "Call"} isWide>
            {to === null || decoding === undefined ? (
              <span>{grouped((input.length - 2) / 2)} bytes</span>
            ) : (
              <Suspense fallback={<code className="soft">{input.slice(0, 10)}</code>}>
                <DecodedCall place={{ ...decoding, address: to }} input={input} />
              </Suspense>
            )}
          </Fact>
        )}
      </Facts>
    </section>
  )
}
