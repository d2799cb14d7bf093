/** Checks a token in the page, and shows every step and what the token may do. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { TokenRules } from "@plumbline/gateway/accounts/TokenRules"
import { useEffect, useState } from "react"

import { Table, TableRow } from "../look/Table.tsx"
import { checkJwt, type CheckedJwt, entriesOf, NARROWING } from "./checkJwt.ts"

const NAMES = {
  networks: "Networks",
  methods: "Methods",
  addresses: "Addresses",
  origins: "Origins",
  userAgents: "User agents"
} as const

/** The panel. The token is only in the field, and is gone when the page is closed. */
export const CheckToken = ({ project, rules }: { readonly project: Project; readonly rules: TokenRules }) => {
  const [text, setText] = useState("")
  const [checked, setChecked] = useState<{ readonly of: string; readonly outcome: CheckedJwt } | undefined>(undefined)
  const token = text.trim().replace(/^Bearer\s+/iu, "")
  useEffect(() => {
    if (token === "") return undefined
    let isOld = false
    void checkJwt(token, rules, Date.now()).then((outcome) => (isOld ? undefined : setChecked({ of: token, outcome })))
    return () => {
      isOld = true
    }
  }, [token, rules])
  return (
    <section className="sheet" aria-labelledby="check-title">
      <header>
        <h2 id="check-title">Check a token</h2>
        <span className="small soft">in this page: nothing is sent or stored</span>
      </header>
      <div className="inset">
        <label className="labelled">
          <span>Token</span>
          <textarea
            className="field mono"
            rows={4}
            spellCheck={false}
            autoComplete="off"
            placeholder="eyJhbGciOi…"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        {text === "" ? (
          <p className="small quiet after">
            Paste a token that your server has signed, such as the second program prints.
          </p>
        ) : (
          <p className="row after">
            <button type="button" className="plain small" onClick={() => setText("")}>
              Clear the field
            </button>
          </p>
        )}
      </div>
      <div aria-live="polite">
        {checked?.of === token ? <Outcome checked={checked.outcome} project={project} /> : null}
      </div>
    </section>
  )
}

const Outcome = ({
  checked: { claims, isWhole, refused, steps },
  project
}: {
  readonly checked: CheckedJwt
  readonly project: Project
}) => (
  <>
    <p className="inset token-outcome">
      <b>
        {refused !== undefined
          ? `The service refuses this token: ${refused}.`
          : isWhole
            ? "The service lets this token in."
            : "This browser cannot tell."}
      </b>
    </p>
    <ol className="token-steps">
      {steps.map(({ found, isMet, name }) => (
        <li key={name}>
          <span className="sign" aria-hidden="true">
            {isMet === undefined ? "?" : isMet ? "✓" : "✗"}
          </span>
          <b>{name}</b>
          <span className="soft">
            <span className="spoken">{isMet === undefined ? "not known: " : isMet ? "holds: " : "fails: "}</span>
            {found}
          </span>
        </li>
      ))}
    </ol>
    {refused !== undefined || claims === undefined || !isWhole ? null : (
      <>
        <Table aria-label="Access of the token" columns={["It may use", "The token says", "The project allows"]}>
          {NARROWING.map(([claim, kind]) => (
            <TableRow
              key={claim}
              cells={[
                NAMES[kind],
                <Entries key="token" list={entriesOf(claims, claim)} none="all that the project may use" />,
                <Entries
                  key="project"
                  list={project.allowlist[kind].length === 0 ? undefined : project.allowlist[kind]}
                  none="all"
                />
              ]}
            />
          ))}
        </Table>
        <p className="inset small quiet">
          A call must be allowed by both. The project&apos;s card and suspension hold as well.
        </p>
      </>
    )}
  </>
)

const Entries = ({ list, none }: { readonly list: ReadonlyArray<string> | undefined; readonly none: string }) =>
  list === undefined ? (
    <span className="soft">{none}</span>
  ) : (
    <span className="entries">
      {list.map((entry) => (
        <code key={entry} className="entry">
          {entry}
        </code>
      ))}
    </span>
  )
