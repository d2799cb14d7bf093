/** The IPFS limits of the key's project, with the used amount of each. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ReactNode, useState } from "react"

import type * as PageSession from "../chain/PageSession.ts"
import { bytes } from "../look/TextFormats.ts"
import * as IpfsUsage from "./IpfsUsage.ts"

/**
 * The sheet with the limits. The figures are read only on request, because reading them begins a session of the
 * project.
 */
export const IpfsLimits = ({
  access,
  children
}: {
  readonly access: PageSession.ProjectAccess
  readonly children: ReactNode
}) => {
  const [usage, setUsage] = useState<
    Result.Result<IpfsUsage.IpfsUsage, IpfsUsage.NoUsageError> | "reading" | undefined
  >(undefined)
  const read = (): void => {
    setUsage("reading")
    void Effect.runPromise(Effect.result(IpfsUsage.read(access))).then(setUsage)
  }
  return (
    <section className="sheet">
      <header>
        <h2>Key</h2>
        {children}
      </header>
      <div className="inset stack below-header" aria-live="polite">
        {usage === undefined ? (
          <>
            <p className="soft">In use, in the memory of this page alone.</p>
            <p>
              <button type="button" className="button" onClick={read}>
                Show limits and usage
              </button>
            </p>
          </>
        ) : usage === "reading" ? (
          <p className="quiet">Reading the limits …</p>
        ) : Result.isFailure(usage) ? (
          <p>{usage.failure.message}</p>
        ) : (
          <>
            <p className="soft">Project {usage.success.project}</p>
            <dl className="meters">
              {usage.success.meters.map(({ most, name, used }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    {bytes(used)} <span className="quiet">{most === undefined ? "no limit" : `of ${bytes(most)}`}</span>
                    {most === undefined ? null : (
                      <meter min={0} max={Math.max(1, most)} high={most * 0.8} value={used} aria-label={name} />
                    )}
                  </dd>
                </div>
              ))}
            </dl>
            <p>
              <button type="button" className="plain small" onClick={read}>
                Read again
              </button>
            </p>
          </>
        )}
      </div>
    </section>
  )
}
