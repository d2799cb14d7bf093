/** The audit log: who changed what, from where, with the values before and after. */
import "../admin/admin.css"
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import { type ReactNode, useMemo, useState } from "react"

import { Lead, OperatorPage } from "../admin/OperatorPage.tsx"
import { useWhyNot } from "../admin/rights.ts"
import { useWork } from "../admin/useWork.ts"
import { secondOf } from "../admin/utcTimes.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import * as OperatorReads from "./operatorReads.ts"

const REFUSED = { title: "The audit log is the operator's", text: "the project and its keys" }

const Audit = () => (
  <OperatorPage of={OperatorReads.audit} what="the audit log" changes="audit" needs="service.audit" refused={REFUSED}>
    {({ entries, next }) => <Entries entries={entries} hasMore={next !== null} />}
  </OperatorPage>
)

const Entries = ({
  entries,
  hasMore
}: {
  readonly entries: ReadonlyArray<OperatorReads.AuditEntry>
  readonly hasMore: boolean
}) => {
  const [wanted, setWanted] = useState("")
  const { failed, isBusy, run } = useWork()
  // the service leaves out the entries that a role does not cover
  const isLimited = useWhyNot()("accounts.get") !== undefined
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase()
    return entries.filter((entry) =>
      [entry.by, entry.from ?? "", entry.action, entry.target].some((part) => part.toLowerCase().includes(text))
    )
  }, [entries, wanted])
  return (
    <div className="page audit">
      <Lead
        title="Audit"
        text={`${hasMore ? "The newest 1,000 changes. An export has all of them." : "All changes, the newest first."}${isLimited ? " Your role shows those of your projects and their keys." : ""}`}
      >
        <div className="row wrap">
          <input
            className="field"
            type="search"
            aria-label="Find a change"
            placeholder="Person, address, action or id"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          {EXPORTS.map(({ format, read }) => (
            <button
              key={format}
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => run(read, (text) => save(text, `audit.${format.toLowerCase()}`))}
            >
              Export {format}
            </button>
          ))}
        </div>
      </Lead>
      <p className="problem" role="alert">
        {failed}
      </p>
      <section className="sheet">
        {found.length === 0 ? (
          <p className="inset soft">No change matches.</p>
        ) : (
          <VirtualTable
            key={wanted}
            label="Changes"
            height={620}
            total={found.length}
            figuresFrom={7}
            head={["Time", "By", "From", "Action", "Target", "Before", "After"]}
            row={(at) => {
              const { action, after, at: time, before, by, from, target } = found[at]!
              return [
                <span key="time" className="soft">
                  {secondOf(time)}
                </span>,
                by,
                shown(from),
                <b key="action">{action}</b>,
                shown(target, UUID.test(target) ? target.slice(0, 8) : target),
                shown(before == null ? null : JSON.stringify(before)),
                shown(after == null ? null : JSON.stringify(after))
              ]
            }}
          />
        )}
      </section>
    </div>
  )
}

/** An id of the service, which is shown by its beginning. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-/u

/** The formats of the whole log. */
const EXPORTS = [
  { format: "CSV", read: (client: AdminClient) => client.exports.auditCsv({ query: {} }) },
  { format: "NDJSON", read: (client: AdminClient) => client.exports.auditNdjson({ query: {} }) }
] as const

/**
 * Shows a text of a change on one line. The whole text is its title, and in the export. An empty text is no element,
 * because a card leaves an empty cell out.
 */
const shown = (text: string | null | undefined, short = cut(text ?? "")): ReactNode =>
  text == null || text === "" ? null : (
    <code className="soft" title={text}>
      {short}
    </code>
  )

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Saves a text as a file of the reader. */
const save = (text: string, name: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // the download has begun when the click returns
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export default Audit
