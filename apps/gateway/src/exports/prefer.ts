/** Whether a `Prefer` header (RFC 7240) holds the preference, which takes no value; names are case-insensitive. */
export function prefers(header: string | undefined, preference: string): boolean {
  return splitOutsideQuotes(header ?? '', ',').some((part) => {
    const [token = ''] = splitOutsideQuotes(part, ';');
    const [name = '', value = ''] = token.split('=', 2);
    return name.trim().toLowerCase() === preference && ['', '""'].includes(value.trim());
  });
}

function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  return text.match(separator === ',' ? /(?:"(?:\\.|[^"\\])*"|[^,"])+/g : /(?:"(?:\\.|[^"\\])*"|[^;"])+/g) ?? [];
}
