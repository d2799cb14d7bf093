/** A part of a page that scrolls sideways on a small screen, also with the keyboard. */
import type { ReactNode } from "react"

export const ScrollRegion = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className="scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
)
