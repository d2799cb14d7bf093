/** A state of a screen that shows no data: one fact, its reason, and the next step. */
import type { ReactNode } from "react"

/** The panel. `children` is the way out. */
export const StatePanel = ({
  children,
  kind,
  text,
  title
}: {
  readonly kind: string
  readonly title: string
  readonly text: ReactNode
  readonly children?: ReactNode
}) => (
  <section className="sheet state inset" aria-live="polite">
    <p className="small quiet">{kind}</p>
    <h1>{title}</h1>
    <p className="soft">{text}</p>
    {children === undefined ? null : <div className="row wrap">{children}</div>}
  </section>
)
