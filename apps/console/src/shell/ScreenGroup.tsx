/** A group of screens: a list below its name if there is room beside the content, otherwise a menu. */
import { Disclosure } from "../look/Disclosure.tsx"

/** A link to a screen. */
export interface ScreenLink {
  readonly name: string
  readonly href: string
  readonly isCurrent: boolean
}

/** The group. The style sheet decides between list and menu by the width of the window. */
export const ScreenGroup = ({
  entries,
  name
}: {
  readonly name: string
  readonly entries: ReadonlyArray<ScreenLink>
}) => {
  const current = entries.find(({ isCurrent }) => isCurrent)
  return (
    <Disclosure
      className={current === undefined ? "group" : "group here"}
      label={
        <>
          {name}
          {current === undefined ? null : <b>{current.name}</b>}
        </>
      }
    >
      <p className="group-name" aria-hidden="true">
        {name}
      </p>
      <ul aria-label={name}>
        {entries.map(({ href, isCurrent, name }) => (
          <li key={name}>
            <a href={href} aria-current={isCurrent ? "page" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}
