/** Detects numbers of cards, which are never stored. */

/**
 * True if a text can hold the number of a card: 12 digits or more, optionally with blanks, dots, dashes or underscores
 * between them, whose check digit is right (ISO/IEC 7812-1).
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
 * Luhn's check: every second digit from the right is doubled, its digits are added, and the sum is a multiple of ten.
 */
const isChecked = (digits: string): boolean => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    sum += place % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9
  }
  return sum % 10 === 0
}
