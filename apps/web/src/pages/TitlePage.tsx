/** A page whose content is still to come: it says so. */
export function TitlePage({ title }: { title: string }) {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>{title}</h1>
        <p>This page is being written and comes with a later version.</p>
      </div>
    </main>
  );
}
