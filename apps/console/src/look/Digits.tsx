/** A text with long numbers, which wraps between their groups of digits. */
import { Fragment } from "react"

/** Returns the parts of a text between which a line may end: after a comma or point within a number. */
export const partsOf = (text: string): ReadonlyArray<string> => text.split(/(?<=\d[,.])(?=\d)/u)

/** Shows the text. A copy of it is the same text. */
export const Digits = ({ children }: { readonly children: string }) =>
  partsOf(children).map((part, at) => (
    // the parts of a text have no names, and never move
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
