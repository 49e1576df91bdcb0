// Editor for HTML, text and JSON with syntax highlighting; its code is loaded when it is first shown.

import { autocompletion, type Completion as Option, pickedCompletion } from '@codemirror/autocomplete'
import { html } from '@codemirror/lang-html'
import { json } from '@codemirror/lang-json'
import { useComputedColorScheme } from '@mantine/core'
import CodeMirror, {
  Decoration,
  type EditorState,
  EditorView,
  type Extension,
  MatchDecorator,
  RangeSetBuilder,
  ViewPlugin,
  type ViewUpdate,
} from '@uiw/react-codemirror'
import { useMemo, useRef } from 'react'
import { nonce } from '../../nonce.ts'
import type { Completion, Suggestion } from './completion.ts'

export interface CodeEditorProps {
  /** Label of the editor for screen readers. */
  readonly label: string
  readonly language: 'html' | 'text' | 'json'
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problems?: readonly { readonly line?: number; readonly column?: number }[]
  /** Places that are marked although they are no problems. */
  readonly marks?: readonly { readonly line?: number; readonly column?: number }[]
  readonly height: string
  /** Returns completions for a text before the cursor; undefined for an editor without completions. */
  readonly complete?: (before: string) => Completion | undefined
  readonly readOnly?: boolean
}

const SETUP = {
  foldGutter: false,
  highlightActiveLine: false,
  highlightActiveLineGutter: false,
  autocompletion: false,
}

export default function CodeEditor(props: CodeEditorProps) {
  const { label, language, value, onChange, problems = [], height, complete, readOnly = false } = props
  const marks = [...problems, ...(props.marks ?? [])]
  const completing = useRef(complete)
  completing.current = complete
  const scheme = useComputedColorScheme('light')
  const places = marks.map(({ line, column }) => `${line ?? 0}:${column ?? 0}`).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the places of the problems are used
  const extensions = useMemo(
    () => [
      ...LANGUAGES[language],
      FRAME,
      // The content security policy allows only style elements with this nonce.
      EditorView.cspNonce.of(nonce),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      completion((before) => completing.current?.(before)),
      marked(marks),
    ],
    [language, label, places],
  )
  return (
    <CodeMirror
      className="code-editor"
      value={value}
      onChange={onChange}
      height={height}
      theme={scheme}
      extensions={extensions}
      basicSetup={SETUP}
      // The Tab key moves the focus to the next field, so that keyboard users can leave the editor.
      indentWithTab={false}
      readOnly={readOnly}
    />
  )
}

/** Theme extension with the colours of the page. */
const FRAME = EditorView.theme({
  '&, &.cm-editor': { backgroundColor: 'var(--mantine-color-body)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-editor .cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': {
    border: '1px solid var(--line)',
    borderRadius: '0.375rem',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: '#fff',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85' },
  '.cm-content, .cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-variable': { color: 'var(--tone-accent)', fontWeight: '600' },
  '.cm-wrong-line': { boxShadow: 'inset 3px 0 0 var(--tone-bad)' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--tone-bad)', textUnderlineOffset: '3px' },
})

const VARIABLES = new MatchDecorator({
  regexp: /\{\{\{?[^{}]{0,200}\}?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-variable' }),
})

const variables = ViewPlugin.fromClass(
  class {
    decorations
    constructor(view: EditorView) {
      this.decorations = VARIABLES.createDeco(view)
    }
    update(update: ViewUpdate): void {
      this.decorations = VARIABLES.updateDeco(update, this.decorations)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

const LANGUAGES: Readonly<Record<CodeEditorProps['language'], readonly Extension[]>> = {
  html: [html({ autoCloseTags: false }), variables],
  text: [variables],
  json: [json()],
}

/** Returns an extension that lists completions while the user types a tag, or after Ctrl-Space. */
const completion = (complete: (before: string) => Completion | undefined): Extension =>
  autocompletion({
    icons: false,
    override: [
      ({ state, pos }) => {
        const found = complete(state.sliceDoc(0, pos))
        if (found === undefined || found.suggestions.length === 0) return null
        return { from: found.from, options: found.suggestions.map(optionOf) }
      },
    ],
  })

function optionOf({ label, detail, kind, insert }: Suggestion): Option {
  if (insert === undefined) return { label, detail, type: kind }
  return {
    ...{ label, detail, type: kind },
    apply(view, option, from, to) {
      const isClosed = /^\s*~?\}\}/.test(view.state.sliceDoc(to, to + 20))
      const text = `${insert}${isClosed ? '' : '}}'}`
      const cursor = text.indexOf('|')
      view.dispatch({
        changes: { from, to, insert: text.replace('|', '') },
        selection: { anchor: from + cursor },
        annotations: pickedCompletion.of(option),
      })
    },
  }
}

const WRONG_LINE = Decoration.line({ class: 'cm-wrong-line' })
const WRONG = Decoration.mark({ class: 'cm-wrong' })

/** Returns an extension that marks faulty lines, and the text at the position of a fault. */
const marked = (problems: NonNullable<CodeEditorProps['problems']>): Extension =>
  EditorView.decorations.compute(['doc'], ({ doc }: EditorState) => {
    const builder = new RangeSetBuilder<Decoration>()
    const byPlace = problems
      .filter(({ line = 0 }) => line >= 1 && line <= doc.lines)
      .toSorted((a, b) => a.line! - b.line! || (a.column ?? 1) - (b.column ?? 1))
    let before = 0
    for (const { line = 1, column = 1 } of byPlace) {
      const { from, to, number } = doc.line(line)
      if (number !== before) builder.add(from, from, WRONG_LINE)
      const start = Math.min(from + column - 1, Math.max(from, to - 1))
      if (number !== before && to > start) builder.add(start, to, WRONG)
      before = number
    }
    return builder.finish()
  })
