// Draws the directories of `src/` (rooms) in docs/architecture.md as floors; each room imports only rooms of lower
// floors.

import { importsOf } from '../test/runner/import-graph.ts'

const [BEGIN, END] = ['<!-- rooms: drawn by `npm run house` -->\n', '<!-- end of rooms -->\n']

/** Maximum number of characters in a line of the picture. */
const WIDTH = 80

const roomOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1]

/**
 * Draws the rooms by floors, the highest floor first, as lines of at most {@link WIDTH} characters. A room is one floor
 * above the highest room from which the room imports values, so rooms of the same floor do not import each other.
 *
 * @param files paths of the source files, relative to the root of the repository
 */
export function pictureOf(files: readonly string[]): string {
  const below = new Map<string, Set<string>>()
  for (const file of files) {
    const room = roomOf(file) ?? ''
    const imported = importsOf(file)
      .map(roomOf)
      .filter((one) => one !== undefined && one !== room)
    below.set(room, new Set([...(below.get(room) ?? []), ...(imported as string[])]))
  }
  const floors = new Map<string, number>()
  const floorOf = (room: string): number => {
    const known = floors.get(room)
    if (known !== undefined) return known
    // The provisional floor ends the recursion in a cycle of imports, which the import rules forbid.
    floors.set(room, 0)
    const floor = Math.max(0, ...[...(below.get(room) ?? [])].map((one) => floorOf(one) + 1))
    floors.set(room, floor)
    return floor
  }
  const rooms = [...below.keys()].toSorted()
  const highest = Math.max(...rooms.map(floorOf))
  return Array.from({ length: highest + 1 }, (_, at) => highest - at)
    .map((floor) =>
      line(
        floor,
        rooms.filter((room) => floorOf(room) === floor),
      ),
    )
    .join('')
}

/** Draws one floor: the number of the floor, followed by the names of its rooms on as many lines as needed. */
function line(floor: number, rooms: readonly string[]): string {
  const lines = ['']
  for (const room of rooms) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + room.length + 6 > WIDTH) lines.push(room)
    else lines[lines.length - 1] = last === '' ? room : `${last}  ${room}`
  }
  return lines.map((text, at) => `${at === 0 ? ` ${floor}` : '  '}  ${text}\n`).join('')
}

/**
 * Returns the page with its picture replaced.
 *
 * @throws Error if the page has no markers for a picture
 */
export function withPicture(page: string, picture: string): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN.trim()}`)
  return `${before}${BEGIN}\n\`\`\`\n${picture}\`\`\`\n\n${END}${after}`
}
