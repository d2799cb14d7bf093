/** The limits of a project, and the amount of each limit that is used now. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { ReactNode } from "react"

import { Meter } from "../look/Meter.tsx"
import { grouped } from "../look/TextFormats.ts"
import type { ProjectRead } from "./projectReads.ts"

/** The panel. */
export const ProjectLimitsPanel = ({
  project,
  standing: { counted, day, rate, underWay }
}: {
  readonly standing: ProjectRead["standing"]
  readonly project: Project
}) => {
  const { limits } = project
  const ipfs = [
    ["IPFS reads per second", limits.ipfsReadsPerSecond],
    ["IPFS writes per second", limits.ipfsWritesPerSecond],
    ["IPFS bytes stored", limits.ipfsStored],
    ["IPFS bytes uploaded per day", limits.ipfsUploadedPerDay],
    ["IPFS bytes downloaded per day", limits.ipfsDownloadedPerDay]
  ] as const
  const isNone = day === null && rate === null && underWay === null
  return (
    <section className="sheet" aria-labelledby="limits-title">
      <header>
        <h2 id="limits-title">Limits</h2>
        <span className="small soft">{counted ? "now" : "the store of limits does not answer"}</span>
      </header>
      {day === null ? null : (
        <Limit
          name="Credits per day"
          share={day.allowed === 0 ? 1 : day.used / day.allowed}
          text={`${grouped(day.used)} of ${grouped(day.allowed)}`}
        >
          {day.used < day.allowed
            ? null
            : `Calls are refused with 429 until ${new Date(day.endsAt).toISOString().slice(11, 16)} UTC, when the next day begins. Raise the limit with Edit.`}
        </Limit>
      )}
      {rate === null ? null : (
        <Limit
          name="Credits per second"
          share={rate.current / rate.allowed}
          text={`${grouped(Math.round(rate.current))} of ${grouped(rate.allowed)}, bursts to ${grouped(rate.burst)}`}
        />
      )}
      {underWay === null ? null : (
        <Limit
          name="Calls at a time"
          share={underWay.current / underWay.allowed}
          text={`${underWay.current} of ${grouped(underWay.allowed)}`}
        />
      )}
      {isNone && counted ? <p className="inset soft">Credits and calls are not limited.</p> : null}
      {ipfs.some(([, value]) => value !== undefined) ? (
        <dl className="facts">
          {ipfs.map(([name, value]) =>
            value === undefined ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{grouped(value)}</dd>
              </div>
            )
          )}
        </dl>
      ) : null}
    </section>
  )
}

const Limit = ({
  children,
  name,
  share,
  text
}: {
  readonly name: string
  readonly share: number
  readonly text: string
  readonly children?: ReactNode
}) => (
  <div className="limit inset">
    <p>
      <b>{name}</b>
      <span className="soft">{text}</span>
    </p>
    <Meter label={name} share={share} />
    {children === undefined || children === null ? null : <p className="small">{children}</p>}
  </div>
)
