// An editor for HTML, text and JSON with syntax colouring; its file is loaded when it is first shown.

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
import { useMemo } from 'react'
import { nonce } from '../../nonce.ts'

export interface CodeEditorProps {
  /** Says what is edited, for who cannot see it. */
  readonly label: string
  readonly language: 'html' | 'text' | 'json'
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problems?: readonly { readonly line?: number; readonly column?: number }[]
  readonly height: string
  readonly readOnly?: boolean
}

const SETUP = {
  foldGutter: false,
  highlightActiveLine: false,
  highlightActiveLineGutter: false,
  autocompletion: false,
}

export default function CodeEditor(props: CodeEditorProps) {
  const { label, language, value, onChange, problems = [], height, readOnly = false } = props
  const scheme = useComputedColorScheme('light')
  const places = problems.map(({ line, column }) => `${line ?? 0}:${column ?? 0}`).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the places say all that is used of the problems
  const extensions = useMemo(
    () => [
      ...LANGUAGES[language],
      FRAME,
      // The policy of the page lets style elements in by this word only.
      EditorView.cspNonce.of(nonce),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      marked(problems),
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
      // The Tab key leads on: an editor must not keep who has no mouse.
      indentWithTab={false}
      readOnly={readOnly}
    />
  )
}

/** Over the theme: the colours of the page. */
const FRAME = EditorView.theme({
  '&, &.cm-editor': { backgroundColor: 'var(--mantine-color-body)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-editor .cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-content, .cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-variable': { color: 'var(--tone-accent)', fontWeight: '600' },
  '.cm-wrong-line': { backgroundColor: 'var(--wrong-line)' },
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

const WRONG_LINE = Decoration.line({ class: 'cm-wrong-line' })
const WRONG = Decoration.mark({ class: 'cm-wrong' })

/** Marks the lines that are wrong, and what begins where something is wrong. */
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
