/** The fields that no hash covers, with the reasons. */
import type * as Claim from "@plumbline/verdict/Claim"

import { Table, TableRow } from "../look/Table.tsx"
import { VerdictWord } from "../look/VerdictMark.tsx"

/** The section, or nothing if everything is proven. `values` holds the claimed values that are shown, by field. */
export const Claims = ({
  claimed,
  values
}: {
  readonly claimed: ReadonlyArray<Claim.Claim>
  readonly values?: Readonly<Record<string, string | undefined>>
}) =>
  claimed.length === 0 ? null : (
    <section className="sheet">
      <header>
        <h2>
          <VerdictWord word="CLAIMED" /> <span>The node says this. No hash that you trust covers it.</span>
        </h2>
      </header>
      <Table columns={["Field", { name: "Reason", className: "soft claim-reason" }]} isHeadSpoken>
        {[...Map.groupBy(claimed, ({ reason }) => reason.sentence)].map(([sentence, claims]) => (
          <TableRow
            key={sentence}
            cells={[
              claims.map(({ field }) => (
                <p key={field}>
                  {field} <span className="mono">{values?.[field]}</span>
                </p>
              )),
              sentence
            ]}
          />
        ))}
      </Table>
    </section>
  )
