"""What the students of the sample course are called, and what they report."""

NAMES = (
    *("Aino Laine", "Akira Mori", "Alba Ferrer", "Amara Okafor", "Anders Holm", "Anjali Rao", "Arturo Vega"),
    *("Beatriz Lopes", "Bogdan Ilić", "Brigid Walsh", "Carmen Ruiz", "Chidi Eze", "Clara Weiss", "Daan Visser"),
    *("Dalia Haddad", "Dimitris Pappas", "Eleni Georgiou", "Emeka Obi", "Emil Sørensen", "Esra Kaya", "Fatima Zahra"),
    *("Felix Baumann", "Freya Lund", "Giulia Conti", "Grace Mensah", "Hana Novák", "Hassan Ali", "Hugo Martin"),
    *("Ines Costa", "Ingrid Dahl", "Ivan Petrov", "Jamila Haroun", "Jonas Berg", "Julia Kowalska", "Kaito Sato"),
    *("Karin Roth", "Kwame Boateng", "Lars Nyberg", "Leila Farouk", "Lin Wei", "Lucia Moretti", "Magnus Aas"),
    *("Maja Horvat", "Marta Silva", "Mehmet Demir", "Mina Park", "Nadia Karim", "Nils Friis", "Noor Aziz"),
    *("Olga Ivanova", "Omar Diallo", "Paula Jensen", "Priya Nair", "Rafael Santos", "Rosa Medina", "Samir Bakr"),
    *("Sofia Lindqvist", "Tomas Dvořák", "Yara Mansour", "Zofia Nowak"),
)

# Problems that graders reported, by kind and text, and what staff said to the first.
REPORTS = (
    ("other", "The formula in the second part is cut off on my phone."),
    ("plagiarism", "The explanation is word for word that of a well-known textbook."),
)
ANSWER = "Thank you. Turn the phone, or read it on a larger screen; the paper itself is complete."
