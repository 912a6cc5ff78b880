/** What the name means, and the product's facts. */
import { product } from "@kauke/contract";

const facts = [
  ["Price", "Free"],
  ["Aliases", "Unlimited"],
  ["E-mail logs", "Zero"],
  ["Setup", "30 seconds"],
  ["Encryption", "AGE, open source"],
  ["Built in", "Lithuania"],
  ["Launched", "January 2025"],
] as const;

export function Why() {
  return (
    <section className="rule why-sec later">
      <div className="page sec why">
        <div>
          <h2 className="h2">Why {product.name}?</h2>
          <p className="entry">
            <b lang="lt">kaukė</b> <em>noun, Lithuanian</em>
            <br />A mask. Worn so that others meet the role and not the person.
          </p>
        </div>
        <table className="sheet">
          <tbody>
            {facts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
