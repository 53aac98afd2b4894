/**
 * `Content-Disposition` of a download (RFC 6266): the name in a safe alphabet for old clients, and in full as
 * `filename*` (RFC 8187) when that says more.
 */
export function attachment(fileName: string): string {
  const safe = fileName.replace(/[^\w.-]/g, '_');
  const plain = `attachment; filename="${safe}"`;
  return safe === fileName ? plain : `${plain}; filename*=UTF-8''${encode(fileName)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
