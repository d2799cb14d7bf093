/** Detects card numbers. They must never be stored. */

/**
 * True if a text may contain a card number: at least 12 digits with a correct check digit (ISO/IEC 7812-1). Spaces,
 * dots, dashes and underscores may separate the digits.
 */
export const isIn = (text: string): boolean =>
  Array.from(text.matchAll(/[0-9](?:[ ._-]*[0-9]){11,}/gu)).some(([digits]) =>
    hasNumber(digits.replace(/[^0-9]/gu, ""))
  )

const hasNumber = (digits: string): boolean => {
  for (let start = 0; start + MIN <= digits.length; start++) {
    for (let end = start + MIN; end <= digits.length; end++) {
      if (isChecked(digits.slice(start, end))) return true
    }
  }
  return false
}

const MIN = 12

/**
 * True if the Luhn check passes. It doubles every second digit from the right and adds the digits of all results. The
 * sum must be a multiple of ten.
 */
const isChecked = (digits: string): boolean => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    sum += place % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9
  }
  return sum % 10 === 0
}
