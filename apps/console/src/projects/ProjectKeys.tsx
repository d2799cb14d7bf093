/**
 * The keys of a project: the keys in use with their end dates, the ended keys with their successors, and dialogues for
 * changes.
 */
import { useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { dayOf, minuteOf } from "../admin/utcTimes.ts"
import { grouped } from "../look/TextFormats.ts"
import * as Router from "../route/Router.ts"
import { EditKey, NewKey, Revoke, Rotate } from "./KeyDialogs.tsx"
import type { ProjectKey, ProjectRead } from "./projectReads.ts"

type Asked = { readonly _tag: "New" } | { readonly _tag: "Edit" | "Rotate" | "Revoke"; readonly key: ProjectKey }

const CHANGES = ["Rotate", "Edit", "Revoke"] as const

/** The panel. */
export const ProjectKeys = ({
  again,
  read: { history, keys, project, standing }
}: {
  readonly read: ProjectRead
  readonly again: () => void
}) => {
  const { ask: open, asked, close } = useDialog<Asked>(again)
  /** A new key takes the place of one whose secret is still shown. */
  const ask = (next: Asked): void => {
    if ((next._tag === "New" || next._tag === "Rotate") && !Router.mayLeave()) return
    open(next)
  }
  const lastOf = (id: string): string => {
    const last = history.lastUses.find(({ key }) => key === id)
    if (last === undefined) return "never used"
    return `last used ${last.within === "day" ? dayOf(last.at) : minuteOf(last.at)}`
  }
  const ended = history.ended.filter(({ id }) => !keys.keys.some((key) => key.id === id))
  return (
    <section className="sheet project-keys" aria-labelledby="keys-title">
      <header>
        <h2 id="keys-title">Keys</h2>
        <span className="small soft">{keys.keys.length} in use</span>
        <Permitted to="keys.issue" project={project.id} isSilent>
          <button type="button" className="button primary" onClick={() => ask({ _tag: "New" })}>
            Create a key
          </button>
        </Permitted>
      </header>
      {keys.keys.length === 0 ? (
        <p className="inset soft">No key is left: every call of this project is refused with 401. Create a key.</p>
      ) : null}
      <ul>
        {keys.keys.map((key) => (
          <li key={key.id} className="inset key">
            <p className="key-name">
              <code>{key.start}…</code>
              <b>{key.label ?? ""}</b>
              <span className="soft">{endOf(key)}</span>
            </p>
            <p className="small soft">
              made {dayOf(key.createdAt)}, {lastOf(key.id)}
              {limitsOf(key, standing)}
            </p>
            <Permitted to="keys.update" project={project.id} isSilent>
              <p className="row">
                {/* a key that was replaced cannot be replaced again; the line above says when it ends */}
                {(key.endsAt === null ? CHANGES : CHANGES.slice(1)).map((name) => (
                  <button key={name} type="button" className="plain small" onClick={() => ask({ _tag: name, key })}>
                    {name}…
                  </button>
                ))}
              </p>
            </Permitted>
          </li>
        ))}
      </ul>
      {ended.length === 0 ? null : (
        <details className="inset">
          <summary className="small soft">{grouped(ended.length)} ended</summary>
          <ul className="ended small">
            {ended.map(({ endedAt, id, reason, start, successor }) => {
              const next = [...keys.keys, ...history.ended].find((key) => key.id === successor)
              return (
                <li key={id}>
                  <code>{start}…</code> {reason} {minuteOf(endedAt)}
                  {next === undefined ? "" : ", its successor starts with "}
                  {next === undefined ? null : <code>{next.start}</code>}; {lastOf(id)}
                </li>
              )
            })}
          </ul>
        </details>
      )}
      {asked?._tag === "New" ? <NewKey project={project.id} onClose={close} /> : null}
      {asked?._tag === "Edit" ? <EditKey held={asked.key} onClose={close} /> : null}
      {asked?._tag === "Rotate" ? <Rotate held={asked.key} onClose={close} /> : null}
      {asked?._tag === "Revoke" ? <Revoke held={asked.key} onClose={close} isLast={keys.keys.length === 1} /> : null}
    </section>
  )
}

const endOf = ({ endsAt, expiresAt }: ProjectKey): string => {
  if (endsAt !== null) return `replaced, ends ${minuteOf(endsAt)}`
  if (expiresAt === null) return "in use"
  return expiresAt <= Date.now() ? `expired ${minuteOf(expiresAt)}` : `expires ${minuteOf(expiresAt)}`
}

const limitsOf = (
  { id, limits: { burst, creditsPerDay, requestsPerSecond } }: ProjectKey,
  { keys }: ProjectRead["standing"]
): string => {
  const used = keys?.find(({ key }) => key === id)?.day?.used
  return [
    requestsPerSecond === undefined ? "" : `, ${grouped(requestsPerSecond)} requests per second`,
    burst === undefined ? "" : `, bursts to ${grouped(burst)}`,
    creditsPerDay === undefined
      ? ""
      : used === undefined
        ? `, ${grouped(creditsPerDay)} credits per day`
        : `, used ${grouped(used)} of ${grouped(creditsPerDay)} credits today`
  ].join("")
}
