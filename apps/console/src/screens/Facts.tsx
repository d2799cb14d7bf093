/** The facts about a block, a transaction or an account, in the words of a person. */
import type { ReactNode } from "react"

import "./explorer.css"

/** The list of facts. */
export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className="fact-grid">{children}</dl>

/** One fact. A fact that takes more room than others is `wide`. */
export const Fact = ({
  children,
  isWide = false,
  name
}: {
  readonly name: string
  readonly isWide?: boolean
  readonly children: ReactNode
}) => (
  <div className={isWide ? "wide" : ""} data-fact={name}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
