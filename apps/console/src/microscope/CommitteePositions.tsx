/** The seats of a sync committee. Each seat is a square, which is filled if the seat signed. */
import { count } from "../look/TextFormats.ts"

/** Number of squares in a row, so that 512 seats take eight rows. */
const COLUMNS = 64

/** The distance between squares, and the length of their sides. */
const PITCH = 4
const SIDE = 3.2

/** Maximum number of absent seats that are named one by one. */
const MOST_NAMED = 12

/** Draws the seats, and says in words how many signed and which did not. */
export const CommitteePositions = ({ seats }: { readonly seats: ReadonlyArray<boolean> }) => {
  const absent = seats.flatMap((isSigned, at) => (isSigned ? [] : [at]))
  const rows = Math.ceil(seats.length / COLUMNS)
  return (
    <figure className="seats">
      <svg viewBox={`0 0 ${COLUMNS * PITCH} ${rows * PITCH}`} role="img" aria-label={sentenceOf(seats.length, absent)}>
        {seats.map((isSigned, at) => (
          <rect
            // the order of the seats never changes
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            className={isSigned ? "signed" : "absent"}
            x={(at % COLUMNS) * PITCH + (PITCH - SIDE) / 2}
            y={Math.floor(at / COLUMNS) * PITCH + (PITCH - SIDE) / 2}
            width={SIDE}
            height={SIDE}
          />
        ))}
      </svg>
      <figcaption aria-hidden="true">
        <span>
          <i className="signed" />
          {seats.length - absent.length} signed
        </span>
        {absent.length === 0 ? null : (
          <span>
            <i className="absent" />
            {absent.length} did not
          </span>
        )}
      </figcaption>
    </figure>
  )
}

/** Describes the picture in words. Seats are numbered from 0, as in the protocol. */
const sentenceOf = (size: number, absent: ReadonlyArray<number>): string => {
  const all = `${size - absent.length} of ${count(size, "seat")} signed.`
  if (absent.length === 0) return all
  const named = absent.slice(0, MOST_NAMED).join(", ")
  const more = absent.length - MOST_NAMED
  return `${all} Without a signature: ${absent.length === 1 ? "seat" : "seats"} ${named}${more > 0 ? `, and ${more} more` : ""}.`
}
