/** The rules of a project: its allowlist, and the networks that the allowlist and the billing card permit. */
import type { Allowlist } from "@plumbline/gateway/accounts/Allowlist"

import { textOf } from "../admin/Fields.tsx"
import { useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import type { ProjectRead } from "./projectReads.ts"

const KINDS = [
  ["networks", "Networks", "mainnet"],
  ["methods", "Methods", "eth_call"],
  ["addresses", "Addresses", "0x…"],
  ["origins", "Origins", "https://app.example"],
  ["userAgents", "User agents", "part of the header"]
] as const

/** The reasons why a project cannot use a network or IPFS. */
const WHY = {
  suspended: "refused: the project is suspended",
  card: "refused: its account has no billing card",
  networks: "refused: the allowlist of networks does not name it"
} as const

/** The two panels. */
export const ProjectRules = ({
  again,
  read: { access, project }
}: {
  readonly read: ProjectRead
  readonly again: () => void
}) => {
  const { ask, asked, close } = useDialog<"edit">(again)
  return (
    <>
      <section className="sheet" aria-labelledby="allowlist-title">
        <header>
          <h2 id="allowlist-title">
            Allowlist <span>empty means all</span>
          </h2>
          <Permitted to="projects.update" project={project.id} isSilent>
            <button type="button" className="button small-button" onClick={() => ask("edit")}>
              Edit…
            </button>
          </Permitted>
        </header>
        <dl className="facts">
          {KINDS.map(([kind, name]) => (
            <div key={kind}>
              <dt>{name}</dt>
              <dd>
                {project.allowlist[kind].length === 0 ? (
                  <span className="soft">all</span>
                ) : (
                  project.allowlist[kind].map((entry) => (
                    <code key={entry} className="entry">
                      {entry}
                    </code>
                  ))
                )}
              </dd>
            </div>
          ))}
        </dl>
        {access.unknownNetworks.length === 0 ? null : (
          <p className="inset small">
            This service has no network {access.unknownNetworks.join(", ")}: the entry opens nothing.
          </p>
        )}
      </section>
      <section className="sheet" aria-labelledby="open-title">
        <header>
          <h2 id="open-title">Access</h2>
          <span className="small soft">{access.card ? "with a billing card" : "no billing card"}</span>
        </header>
        <dl className="facts">
          {access.places.map(({ name, product, refused }) => (
            <div key={name}>
              <dt>
                {product === "rpc" ? (
                  <a href={ConsoleRoute.link({ _tag: "Network", network: name }).href}>{name}</a>
                ) : (
                  "IPFS"
                )}
              </dt>
              <dd className={refused === null ? undefined : "soft"}>{refused === null ? "open" : WHY[refused]}</dd>
            </div>
          ))}
        </dl>
      </section>
      {asked === undefined ? null : <EditAllowlist id={project.id} allowlist={project.allowlist} onClose={close} />}
    </>
  )
}

const EditAllowlist = ({
  allowlist,
  id,
  onClose
}: {
  readonly id: string
  readonly allowlist: Allowlist
  readonly onClose: () => void
}) => {
  const listOf = (data: FormData, kind: string): ReadonlyArray<string> =>
    textOf(data, kind)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
  return (
    <ResourceDialog
      isWide
      title="Edit the allowlist"
      confirm="Save"
      onClose={onClose}
      change={(data) => (client) =>
        client.projects.update({
          params: { id },
          payload: {
            allowlist: {
              networks: listOf(data, "networks"),
              methods: listOf(data, "methods"),
              addresses: listOf(data, "addresses"),
              origins: listOf(data, "origins"),
              userAgents: listOf(data, "userAgents")
            }
          }
        })
      }
    >
      <p className="small quiet">
        One entry per line, at most 30 of each kind. A kind without entries allows everything. A call must be allowed by
        every kind that has entries. The network of IPFS is <code>ipfs</code>.
      </p>
      <div className="two">
        {KINDS.map(([kind, name, example]) => (
          <label key={kind} className="labelled">
            <span>{name}</span>
            <textarea
              className="field mono"
              name={kind}
              rows={3}
              spellCheck={false}
              placeholder={example}
              defaultValue={allowlist[kind].join("\n")}
            />
          </label>
        ))}
      </div>
    </ResourceDialog>
  )
}
