/** Shows one fact, its reason and the next step, in place of data that a screen cannot show. */
import type { ReactNode } from "react"

/** The panel. `children` holds the next step, such as a button. */
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
