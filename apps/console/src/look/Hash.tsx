/** Hashes and addresses in their one form: a skyline of eight bars, and the short text. */
import * as Atom from "effect/reactivity/Atom"
import { type ReactNode, useEffect, useState } from "react"

import { short, skyline } from "./Text.ts"
import { setAtom, useAtom } from "./useAtom.ts"

/** The hash under the pointer or with the focus. Equal hashes on the page are highlighted with it. */
const pointed = Atom.make<string | undefined>(undefined)

/** Eight bars, so that an eye can tell two hashes apart. */
export const Skyline = ({ hex }: { readonly hex: string }) => (
  <svg viewBox="0 0 16 10" width="16" height="10" aria-hidden="true">
    {skyline(hex).map((height, at) => {
      const tall = 1 + (height * 9) / 15
      // eight bars that never change their places
      // oxlint-disable-next-line react/no-array-index-key
      return <rect key={at} x={at * 2} y={10 - tall} width="1.6" height={tall} />
    })}
  </svg>
)

/** The events that light up equal hashes. */
const lighting = (hex: string) => ({
  onMouseEnter: () => setAtom(pointed, hex),
  onMouseLeave: () => setAtom(pointed, undefined),
  onFocus: () => setAtom(pointed, hex),
  onBlur: () => setAtom(pointed, undefined)
})

/** A hash in its short form. With `link` it leads there; otherwise a click, or `c`, copies all of it. */
export const Hash = ({
  children,
  hex,
  link
}: {
  readonly hex: string
  readonly link?: { readonly href: string } | undefined
  readonly children?: ReactNode
}) => {
  const isAlike = useAtom(pointed) === hex
  const name = `hash${isAlike ? " alike" : ""}`
  const inside = (
    <>
      <Skyline hex={hex} />
      {children ?? short(hex)}
    </>
  )
  if (link === undefined) return <Copied text={hex} className={name} {...lighting(hex)} label={inside} />
  return (
    <a className={name} href={link.href} title={hex} data-copy={hex} {...lighting(hex)}>
      {inside}
    </a>
  )
}

/** A button that copies a text, and then shows that it did. */
export const Copied = ({
  className = "button",
  isSecret = false,
  label,
  text,
  ...events
}: {
  readonly text: string
  readonly label: ReactNode
  readonly className?: string
  /** True to hide the full text from the tooltip. */
  readonly isSecret?: boolean
} & Partial<ReturnType<typeof lighting>>) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false)
    )
  }
  return (
    <button
      type="button"
      className={`${className} copy`}
      title={isSecret ? undefined : text}
      data-copy={isSecret ? "" : text}
      onClick={copy}
      {...events}
    >
      {isCopied ? <span role="status">Copied</span> : label}
    </button>
  )
}
