/** A part of a screen that is folded until the reader opens it. */
import "./fold.css"
import { type ReactNode, useState } from "react"

/** The heading, which opens and closes the part. The content is made when it is opened for the first time. */
export const Fold = ({
  children,
  note,
  title
}: {
  readonly title: string
  /** A few words about the content, shown beside the title. */
  readonly note: ReactNode
  readonly children: () => ReactNode
}) => {
  const [isMade, setMade] = useState(false)
  return (
    <details className="fold" onToggle={({ currentTarget }) => currentTarget.open && setMade(true)}>
      <summary>
        <h2>{title}</h2> <span className="soft t-13">{note}</span>
      </summary>
      {isMade ? children() : null}
    </details>
  )
}
